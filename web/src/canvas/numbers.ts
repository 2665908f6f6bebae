/** Numbers as the reader writes them, with all of their digits. */
export const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });
