import type { Point, Shop } from './place';

/** The names of the shops nearest to a point, the nearest first. */
export function nearest(shops: Shop[], at: Point, most: number): string[] {
    const near = shops.map((shop) => {
        const north = shop.at.latitude - at.latitude;
        const east = (shop.at.longitude - at.longitude) * 0.66;
        const distance = Math.sqrt(north * north + east * east);
        return { name: shop.name, distance: Number.isNaN(distance) ? Infinity : distance };
    });
    near.sort((one, other) => (one.distance < other.distance ? -1 : one.distance > other.distance ? 1 : 0));
    return near.slice(0, most).map((one) => one.name);
}
