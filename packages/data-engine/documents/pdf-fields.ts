import type { getDocumentProxy } from 'unpdf';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;

/** What the library tells of a field of a form, and of other annotations. */
interface Annotation {
  subtype: string;
  fieldName?: string;
  /** The name that people are shown. */
  alternativeText?: string;
  fieldValue?: string | string[] | null;
  options?: { exportValue: string; displayValue: string }[];
  hidden?: boolean;
  password?: boolean;
  pushButton?: boolean;
}

/** State of a box that is not ticked. */
const OFF = 'Off';

/** Filled fields of the form on a page, such as `Quantity: 12`. Several buttons for one choice are one field. */
export async function filledFields(page: Page): Promise<string[]> {
  const annotations = (await page.getAnnotations()) as Annotation[];
  return [...new Set(annotations.flatMap(describedField))];
}

function describedField({ subtype, fieldName = '', alternativeText = '', ...field }: Annotation): string[] {
  if (subtype !== 'Widget' || field.hidden === true || field.password === true || field.pushButton === true) return [];
  const values = [field.fieldValue ?? []].flat().filter((value) => value !== '' && value !== OFF);
  if (values.length === 0) return [];
  const texts = values.map(
    (value) => field.options?.find(({ exportValue }) => exportValue === value)?.displayValue ?? value,
  );
  return [`${alternativeText || fieldName}: ${texts.join(', ')}`];
}
