/* Names of totals, subtotals and averages in European and East Asian languages. */

const list = (...lines: readonly string[]): string[] => lines.join(',').split(',');

/** Names of averages. A label must equal such a name. */
const AVERAGES = list('average,avg,mean,mittelwert,durchschnitt,moyenne,media,média,promedio,gemiddelde');
/**
 * Names of other statistics. A label must equal such a name. `max` and `min` are listed under `other`, because they are also
 * names of people and a matching number proves nothing.
 */
const OTHER_STATISTICS = {
  maximum: list('maximum,höchstwert,massimo,máximo,maximo'),
  minimum: list('minimum,mindestwert,minimo,mínimo'),
  count: list('count,total count,row count,anzahl,aantal,件数'),
  other: list(
    'max,min,median,std,stdev,stddev,std dev,standard deviation,variance,varianz,standardabweichung,médiane,mediana',
  ),
};
/** Names of subtotals. They are hardly ever used for anything else. */
const SUBTOTALS = list(
  'subtotal,sub-total,sub total,subtotals,zwischensumme,teilsumme,sous-total,sous total,subtotale,subtotaal,delsumma,delsum,välisumma',
  'suma częściowa,suma cząstkowa,mezisoučet,medzisúčet,részösszeg,ara toplam,промежуточный итог,подытог,промежуточная сумма',
  '小計,小计,소계',
);
/** Names of totals that may precede or follow the name of a group, as in `Total North`. */
const TOTALS = list(
  'total,totals,grand total,overall total,gesamt,gesamtsumme,summe,gesamtergebnis,ergebnis,total général,total general,totaux,somme',
  'totale,totali,somma,suma,totales,gran total,total geral,totaal,eindtotaal,totalt,summa,yhteensä,razem,ogółem,celkem,součet,spolu',
  'összesen,toplam,toplamı,genel toplam,σύνολο,итого,всего,итог,сумма,разом,усього,общо,ukupno,skupaj,sum,σ,∑,合計,総計,合计,总计,總計,합계,총계',
);
/** All names of totals, subtotals and statistics. */
const LABELS = new Set([
  ...AVERAGES,
  ...Object.values(OTHER_STATISTICS).flat(),
  ...SUBTOTALS,
  ...TOTALS.filter((label) => !['ergebnis', 'toplamı'].includes(label)),
  ...list(
    'sums,sum total,total sum,overall,insgesamt,total gesamt,endsumme,summe gesamt,totale generale,totale complessivo,sumas,soma,som',
    'sammanlagt,totalsumma,hovedtotal,i alt,ialt,suma końcowa,celkový součet,общий итог,总和,المجموع,الإجمالي',
  ),
]);
const NAMES = new Set([...SUBTOTALS, ...TOTALS]);
/** Names in scripts without blanks between words. */
const UNSPACED = [...NAMES].filter((name) => /\p{Script=Han}|\p{Script=Hangul}/u.test(name));
const ARE_SUBTOTALS = new Set(SUBTOTALS);
/** Statistic that a label refers to. Labels that are not listed refer to sums. */
export type Statistic = 'sum' | 'average' | keyof typeof OTHER_STATISTICS;
const STATISTICS = new Map<string, Statistic>([
  ...AVERAGES.map((name) => [name, 'average'] as const),
  ...(Object.keys(OTHER_STATISTICS) as (keyof typeof OTHER_STATISTICS)[]).flatMap((statistic) =>
    OTHER_STATISTICS[statistic].map((name) => [name, statistic] as const),
  ),
]);
const FILLERS = new Set(list('for,of,in,für,von,pour,de,del,des,du,per,di,da,do,van,за,по,-,–,—,|,/'));

/** Maximum label length in bytes. */
const MAX_LABEL_BYTES = 200;
/** Punctuation around a label, as in `** Total **` and `Total:`. */
const SIGNS = ` *:=.,-_~+<>()[]|/#"'`;
const SIGN_BYTES = new Set(Buffer.from(SIGNS));

/** Label that names a total. */
export interface TotalLabel {
  /** Name of the group, such as `north` in `Total North`. Empty for a plain label. */
  group: string;
  isSubtotal: boolean;
  statistic: Statistic;
}

/**
 * Returns the total label that a string contains, or undefined. The string must equal the name of a total, or start or end with
 * it.
 */
export function totalLabelOf(text: string): TotalLabel | undefined {
  if (text.length > MAX_LABEL_BYTES) return undefined;
  const label = cleaned(text);
  if (LABELS.has(label))
    return { group: '', isSubtotal: ARE_SUBTOTALS.has(label), statistic: STATISTICS.get(label) ?? 'sum' };
  const words = label.split(/[\s:()]+/).filter(Boolean);
  for (const count of [2, 1]) {
    if (words.length <= count) continue;
    for (const [name, rest] of [
      [words.slice(0, count), words.slice(count)],
      [words.slice(-count), words.slice(0, -count)],
    ] as const) {
      if (!NAMES.has(name.join(' '))) continue;
      return labelOf(name.join(' '), rest.filter((word) => !FILLERS.has(word)).join(' '));
    }
  }
  const name = UNSPACED.find((one) => label.startsWith(one) || label.endsWith(one));
  return name === undefined
    ? undefined
    : labelOf(
        name,
        label
          .replace(name, '')
          .replace(/[()（）]/g, '')
          .trim(),
      );
}

const labelOf = (name: string, group: string): TotalLabel => ({
  group,
  isSubtotal: ARE_SUBTOTALS.has(name),
  statistic: 'sum',
});

/** Returns whether a string consists only of the name of a total. */
export const isTotalLabel = (text: string): boolean => LABELS.has(cleaned(text));

function cleaned(text: string): string {
  const label = text.toLowerCase();
  let start = 0;
  let end = label.length;
  while (start < end && isSign(label[start]!)) start += 1;
  while (end > start && isSign(label[end - 1]!)) end -= 1;
  return label.slice(start, end).replace(/\s+/g, ' ');
}

const isSign = (sign: string): boolean => SIGNS.includes(sign) || sign.trim() === '';

/** Returns the range of a cell without its surrounding punctuation. */
export function partInsideSigns(bytes: Uint8Array, start: number, end: number): { start: number; end: number } {
  while (start < end && SIGN_BYTES.has(bytes[start]!)) start += 1;
  while (end > start && SIGN_BYTES.has(bytes[end - 1]!)) end -= 1;
  return { start, end };
}

/** First two bytes and length of every label. A quick check against this set rules out most other strings. */
const OUTLINES = new Set(
  [...LABELS]
    .flatMap((label) => [Buffer.from(label), Buffer.from(label.toUpperCase())])
    .map((bytes) => outlineOf(bytes, 0, bytes.length)),
);

/** Returns true if the bytes are the name of a total. Must be fast, because it runs for every row. */
export const isTotalAt = (bytes: Uint8Array, start: number, end: number): boolean =>
  OUTLINES.has(outlineOf(bytes, start, end)) && isTotalLabel(Buffer.from(bytes.subarray(start, end)).toString());

function outlineOf(bytes: Uint8Array, start: number, end: number): number {
  const second = end - start > 1 ? (bytes[start + 1] ?? 0) : 0;
  return (((bytes[start]! | 0x20) << 8) | (second | 0x20)) * 256 + Math.min(255, end - start);
}

/** Returns four bytes as a number, ignoring case. */
const four = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]! | 0x20202020;

const spellings = (name: string): Buffer[] =>
  [name, name.toUpperCase(), name.charAt(0).toUpperCase() + name.slice(1)].map((one) => Buffer.from(one));
const BEGINNINGS = new Set([...NAMES].flatMap((name) => spellings(`${name} `)).map((bytes) => four(bytes, 0)));
const ENDINGS = new Set(
  [...NAMES].flatMap((name) => spellings(` ${name}`)).map((bytes) => four(bytes, bytes.length - 4)),
);

/** Returns true if the bytes begin or end with the name of a total. Must be fast, because it runs for every text cell. */
export function hasTotalAt(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_LABEL_BYTES) return false;
  const isLikely =
    OUTLINES.has(outlineOf(bytes, start, end)) ||
    (end - start >= 4 && (BEGINNINGS.has(four(bytes, start)) || ENDINGS.has(four(bytes, end - 4))));
  return isLikely && totalLabelOf(Buffer.from(bytes.subarray(start, end)).toString()) !== undefined;
}
