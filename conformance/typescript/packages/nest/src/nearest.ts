import type { Point, Shop } from './place';

/** The names of the shops nearest to a point, the nearest first. */
export function nearest(shops: Shop[], at: Point, most: number): string[] {
    const near = shops.map((shop) => {
        const latitude = ((shop.at.latitude - at.latitude) * Math.PI) / 360;
        const longitude = ((shop.at.longitude - at.longitude) * Math.PI) / 360;
        const north = Math.cos((at.latitude * Math.PI) / 180) * Math.cos((shop.at.latitude * Math.PI) / 180);
        const half = Math.sin(latitude) ** 2 + north * Math.sin(longitude) ** 2;
        return { name: shop.name, distance: Math.asin(Math.sqrt(half)) };
    });
    near.sort((one, other) => one.distance - other.distance);
    return near.slice(0, most).map((one) => one.name);
}
