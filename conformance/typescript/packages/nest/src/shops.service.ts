import { Injectable } from '@nestjs/common';
import { nearest } from './nearest';
import type { Shop } from './place';

@Injectable()
export class ShopsService {
    private readonly shops: Shop[] = Array.from({ length: 5000 }, (_, at) => ({
        name: `shop-${at}`,
        at: { latitude: 47 + ((at * 7919) % 5000) / 700, longitude: 6 + ((at * 104729) % 5000) / 600 },
    }));

    near(latitude: number, longitude: number): string[] {
        return nearest(this.shops, { latitude, longitude }, 10);
    }
}
