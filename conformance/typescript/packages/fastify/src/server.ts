import { type TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify from 'fastify';
import { Type } from 'typebox';
import { bestMatches } from './match.js';

const TITLES = Array.from({ length: 300 }, (_, at) => `volume ${at} of the ${at % 7 === 0 ? 'great' : 'little'} book`);

const app = Fastify().withTypeProvider<TypeBoxTypeProvider>();
app.get(
    '/search',
    { schema: { querystring: Type.Object({ text: Type.String({ maxLength: 100 }), limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) }) } },
    async (request, reply) => {
        const { text, limit } = request.query;
        const matches = bestMatches(text, TITLES, limit);
        return reply.send({ matches });
    },
);
await app.listen({ port: Number(process.env.PORT) });
