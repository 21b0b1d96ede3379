export interface Line {
    sku: string;
    quantity: number;
    unitPrice: number;
}

export type Kind = 'percent' | 'fixed';
