export interface Point {
    latitude: number;
    longitude: number;
}

export interface Shop {
    name: string;
    at: Point;
}
