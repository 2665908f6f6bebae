/** Number format of the user's locale, with all digits. */
export const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });

/** Whether the user's locale has a decimal comma. */
export const HAS_DECIMAL_COMMA = NUMBER.format(0.5).includes(',');
