import type { getDocumentProxy } from 'unpdf';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;

/** Form field or other annotation, as the PDF library returns it. */
interface Annotation {
  subtype: string;
  fieldName?: string;
  /** Field name that is shown to users. */
  alternativeText?: string;
  fieldValue?: string | string[] | null;
  options?: { exportValue: string; displayValue: string }[];
  hidden?: boolean;
  password?: boolean;
  pushButton?: boolean;
}

/** Value of an unchecked checkbox or radio button. */
const OFF = 'Off';

/** Returns the filled form fields on a page, such as `Quantity: 12`. A group of radio buttons is a single field. */
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
