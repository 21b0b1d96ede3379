import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ShopsController } from './shops.controller';
import { ShopsService } from './shops.service';

@Module({ controllers: [ShopsController], providers: [ShopsService] })
class ShopsModule {}

async function main(): Promise<void> {
    const app = await NestFactory.create(ShopsModule, { logger: false });
    await app.listen(Number(process.env.PORT));
}

void main();
