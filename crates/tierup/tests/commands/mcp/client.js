// A client of `tierup mcp`. In: the program and the project's folder. Out: a line of JSON for each step.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const [command, project] = process.argv.slice(2)
const client = new Client({ name: 'test', version: '1.0.0' })
const transport = new StdioClientTransport({ command, args: ['mcp', project], env: process.env, stderr: 'ignore' })
const say = (step, what) => console.log(JSON.stringify({ step, ...what }))
const call = async (step, name, given, options) => {
	try {
		const { content, isError } = await client.callTool({ name, arguments: given }, options)
		say(step, { text: content.map(part => part.text).join(''), isError: isError ?? false })
	} catch (error) {
		say(step, { thrown: error.message })
	}
}

await client.connect(transport)
say('server', client.getServerVersion())
say('tools', { tools: (await client.listTools()).tools })
await call('brief', 'brief', { function: 'total', host: 'node' })
await call('usage', 'brief', { function: 'lost' })
await call('option', 'brief', { out: 'brief.md' })
await call('type', 'check', { only: { a: 1 } })
await call('tool', 'shadow', {})
const lines = []
const stop = new AbortController()
await call('cancelled', 'profile', {}, {
	signal: stop.signal,
	onprogress: ({ message }) => {
		lines.push(message)
		stop.abort('enough')
	},
})
say('progress', { lines })
// The next command begins when the cancelled one has ended.
await call('next', 'brief', { function: 'total' })
await client.close()
