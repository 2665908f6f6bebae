import type { DelimitedScan } from './delimited-scan.js';
import type { TextSource } from './parquet-writer.js';
import type { RecordScanner } from './record-scanner.js';
import type { TextFile } from './text-file.js';
import { TextWriter } from './text-writer.js';

/** Writes the table rows, without the header, in a format that DuckDB reads without format detection. */
export async function rewriteRows(
  scan: DelimitedScan,
  file: TextFile,
  { path, dropsFirst, width }: { path: string; dropsFirst: boolean; width: number },
  signal?: AbortSignal,
): Promise<TextSource> {
  const writer = new TextWriter(path);
  try {
    let rows = 0;
    let blanks = 0;
    const onRow = (scanner: RecordScanner): void => {
      const place = scan.placeOf(scanner, rows === 0);
      if (place === 'blank' && rows > 0) blanks += 1;
      if (place !== 'row') return;
      if (scan.first!.length === 1) {
        for (; blanks > 0; blanks -= 1) {
          writer.null();
          writer.endRow();
        }
      }
      rows += 1;
      if (rows === 1 && dropsFirst) return;
      for (let column = 0; column < width; column += 1) {
        if (column >= scanner.cells || scanner.isEmpty(column)) writer.null();
        else if (scanner.isEscaped(column)) writer.text(scanner.content(column));
        else writer.text(scanner.bytes, scanner.start(column), scanner.end(column));
      }
      writer.endRow();
    };
    await scan.reread(file, scan.numbering.last, onRow, signal);
    return writer.finish(width, { header: false, isRagged: false });
  } finally {
    writer.close();
  }
}
