/** Number format of the user's locale, with all digits. */
export const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });
