import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ShopsService } from './shops.service';

@Controller()
export class ShopsController {
    constructor(@Inject(ShopsService) private readonly shops: ShopsService) {}

    @Get('near')
    near(@Query('latitude') latitude: string, @Query('longitude') longitude: string): { names: string[] } {
        return { names: this.shops.near(Number(latitude), Number(longitude)) };
    }
}
