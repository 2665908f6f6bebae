import { describe, expect, it } from '@jest/globals';
import { refusal, TableFiles } from '../../../test/support/converted-table.js';
import { decoderOf } from '../code-pages.js';

const files = new TableFiles();

const encoders = new Map<string, Map<string, number[]>>();

/** Returns a map from characters to bytes for an encoding with up to two bytes per character. */
function encoderOf(encoding: string): Map<string, number[]> {
  const known = encoders.get(encoding) ?? new Map<string, number[]>();
  if (known.size > 0) return known;
  encoders.set(encoding, known);
  const decoder = decoderOf(encoding, true);
  // Node 20 decodes Windows-1252 as ISO-8859-1 unless streaming is enabled.
  const isSingleByte = encoding.startsWith('windows');
  const add = (...bytes: number[]): void => {
    try {
      const text = decoder.decode(Buffer.from(bytes), { stream: bytes.length === 1 && isSingleByte });
      if ([...text].length === 1 && !known.has(text)) known.set(text, bytes);
    } catch {
      // The encoding has no character for these bytes.
    }
  };
  for (let byte = 0; byte < 256; byte += 1) add(byte);
  for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) add(lead, trail);
  return known;
}

const encode = (text: string, encoding: string): Buffer => {
  const encoder = encoderOf(encoding);
  return Buffer.from([...text].flatMap((character) => encoder.get(character) ?? fail(character, encoding)));
};
const fail = (character: string, encoding: string): never => {
  throw new Error(`${encoding} has no ${character}`);
};

const csv = (...rows: string[]): string => `${rows.join('\n')}\n`;
const rowsOf = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));

const WESTERN: [string, string][] = [
  ['German', csv('Stück,Maß', 'Bänke,groß', 'Überseekoffer,ÄÖÜ')],
  ['French', csv('désignation,unité', 'chêne créé,pièce', 'Œuvre à façade,m²', "l'été “Élan”,n° 5 – €")],
  ['Spanish', csv('año,descripción', 'niño,¿Qué tamaño?', 'ÑANDÚ,1ª y 2º')],
  ['Portuguese', csv('preço,região', 'São Paulo,ações', 'maçã,três pães')],
  ['Italian', csv('città,quantità', 'caffè,perché', 'così,più')],
  ['Nordic', csv('størrelse,mængde', 'smørrebrød,Ålborg', 'kött,ÅR')],
  ['Icelandic', csv('þyngd,stærð', 'íþróttir,Guðmundsdóttir', 'þýðing,öðru')],
  ['Finnish and Estonian', csv('määrä,õlu', 'työ,jõe', 'pöytä,žürii')],
  ['symbols between letters', csv('prix\u00a0net,L×B', 'rouge•bleu,été–hiver', 'l’île,Élan…Où')],
  ['units and symbols', csv('unit,value', 'm³/h,±5 °C', 'kWh/m²a,3 × ½', 'µm,£5 § 3')],
  ['uppercase French', csv('article,n', 'ÉTÉ,10', 'FORÊT,20')],
  ['uppercase Portuguese', csv('INFORMAÇÃO,n', 'AÇÕES,10', 'PÃO,20')],
  ['names from many countries', csv('name,city', 'Zoë Brontë,Curaçao', 'Citroën®,Malmö', 'Müller-Núñez,Århus')],
  ['foreign words between German words', csv('mäßig,n', 'naïve façade,10', 'Bär,20')],
  ['a single special letter', csv('a,b', 'caf\u00e9,5')],
];

it.each(WESTERN)('detects Windows-1252 in %s', async (_, text) => {
  const { rows, description } = await files.convert(encode(text, 'windows-1252'), 'csv');
  expect(description.dialect!.encoding).toBe('windows-1252');
  expect(rows.map((row) => row.map(String))).toEqual(rowsOf(text));
});

const EAST_ASIAN: [string, string, string][] = [
  ['shift_jis', 'products', csv('製品,数量', 'ネジ,10', 'ボルト,20')],
  ['shift_jis', 'sentences', csv('備考,担当', '納期は来週です,田中', '在庫なし,鈴木', 'ｶﾀｶﾅ,山本')],
  ['euc-jp', 'products', csv('製品,数量', 'ネジ,10', 'ボルト,20')],
  ['gb18030', 'products', csv('产品,数量,单位', '螺丝,10,件', '钢板,20,张', '小型电机,5,台')],
  ['big5', 'products', csv('產品,數量', '螺絲,10', '鋼板,20', '電動機,5')],
  ['euc-kr', 'products', csv('제품,수량', '나사,10', '볼트,20', '강판 대형,5')],
];

it.each(EAST_ASIAN)('detects %s: %s', async (encoding, _, text) => {
  const { columns, rows, description } = await files.convert(encode(text, encoding), 'csv');
  expect(description.dialect!.encoding).toBe(encoding);
  expect(columns.map((column) => column.split(' ')[0])).toEqual(text.split('\n')[0]!.split(','));
  expect(rows.map((row) => row.map(String))).toEqual(rowsOf(text));
});

it('detects ISO-2022-JP by its escape sequences', async () => {
  const { columns, rows, description } = await files.convert('name,n\n\x1b$B%M%8\x1b(B,10\n', 'csv');
  expect({ columns, rows, encoding: description.dialect!.encoding }).toEqual({
    columns: ['name text', 'n integer'],
    rows: [['ネジ', 10]],
    encoding: 'iso-2022-jp',
  });
});

const OTHER_ALPHABETS: [string, string, string][] = [
  ['windows-1250', 'Polish', csv('miasto,ilość', 'Łódź,10', 'Wrocław,20', 'księżyc,30', 'ciężki młot,5')],
  ['windows-1250', 'Czech', csv('výrobek,množství', 'šroub český,10', 'příčka,20', 'dřevěný stůl,5', 'čtvereček,7')],
  ['windows-1250', 'Hungarian', csv('termék,mennyiség', 'hőmérő,10', 'időjárás,20', 'gyümölcs sűrítő,5')],
  ['windows-1250', 'uppercase Hungarian', csv('TERMÉK,ÁR', 'TŰZHELY,10', 'SZŐNYEG,20', 'HŰTŐSZEKRÉNY,5')],
  ['windows-1250', 'Croatian', csv('naziv,količina', 'stolić,10', 'žarulja,20', 'kućište,5', 'čavao,7')],
  ['windows-1250', 'Slovak', csv('názov,množstvo', 'stôl,10', 'stolička,20', 'kľúč,5', 'žiarovka,7')],
  ['windows-1254', 'Turkish', csv('ürün,açıklama', 'müşteri çalışma,1', 'ağaç işleri,2', 'sipariş,3')],
  ['windows-1254', 'Turkish towns', csv('şehir,nüfus', 'İstanbul,1', 'Eskişehir,2', 'Diyarbakır,3', 'Muğla,4')],
  ['windows-1257', 'Lithuanian', csv('prekė,kiekis', 'Šiauliai,10', 'Panevėžys,20', 'šviestuvas,5', 'kėdė žalia,7')],
  ['windows-1257', 'Latvian', csv('pilsēta,skaits', 'Rīga,10', 'Jūrmala,20', 'krēsls,5', 'ķirsis,7')],
  ['windows-1251', 'Russian', csv('Продукт,Количество', 'Болт,10', 'Гайка,20')],
  ['windows-1251', 'Ukrainian', csv('Товар,Кількість', 'Стіл,10', 'Шафа біла,20', 'Київ,5')],
  ['windows-1251', 'Bulgarian', csv('Стока,Количество', 'Маса,10', 'Стол дървен,20', 'Легло,5')],
  ['koi8-r', 'Russian', csv('Продукт,Количество', 'Болт,10', 'Гайка,20')],
  ['ibm866', 'Russian', csv('Продукт,Количество', 'Болт,10', 'Гайка,20')],
  ['windows-1253', 'Greek', csv('Προϊόν,Ποσότητα', 'Βίδα,10', 'Κατσαβίδι,20')],
  ['windows-1253', 'lowercase Greek', csv('προϊόν,τιμή', 'καρέκλα,10', 'τραπέζι,20')],
  ['windows-1255', 'Hebrew', csv('מוצר,כמות', 'בורג,10', 'שלום,20')],
  ['windows-1256', 'Arabic', csv('المنتج,الكمية', 'برغي,10', 'مسمار,20')],
  ['windows-874', 'Thai', csv('สินค้า,จำนวน', 'สกรู,10', 'น็อต,20')],
];

it.each(OTHER_ALPHABETS)('detects the encoding %s: %s', async (encoding, _, text) => {
  const { columns, rows, description } = await files.convert(encode(text, encoding), 'csv');
  expect(description.dialect).toMatchObject({ encoding, other_encodings: [], uncertain: ['encoding'] });
  expect(columns.map((column) => column.split(' ')[0])).toEqual(text.split('\n')[0]!.split(','));
  expect(rows.map((row) => row.map(String))).toEqual(rowsOf(text));
});

const AMBIGUOUS: [string, string, string][] = [
  ['windows-1250', 'a Hungarian town', csv('name,n', 'Győr,10')],
  ['windows-1250', 'Hungarian towns', csv('name,n', 'Kőszeg,10', 'Sopron,20')],
  ['windows-1250', 'a Czech word', csv('name,n', 'stůl,10')],
  ['windows-1254', 'a Turkish word', csv('sandalye,n', 'masa değer,10')],
  ['windows-1257', 'a Latvian word', csv('item,n', 'krēsls,10')],
];

it.each(AMBIGUOUS)('detects Windows-1252 and reports that it may be %s: %s', async (encoding, _, text) => {
  const { dialect } = (await files.convert(encode(text, encoding), 'csv')).description;
  expect(dialect!.encoding).toBe('windows-1252');
  expect(dialect!.other_encodings).toContain(encoding);
  expect(dialect!.uncertain).toContain('encoding');
  const { rows } = await files.convert(encode(text, encoding), 'csv', { dialect: { encoding } });
  expect(rows.map((row) => row.map(String))).toEqual(rowsOf(text));
});

const SIGNS_FOR_LETTERS: [string, string, string, string][] = [
  ['iso-8859-7', 'windows-1253', 'a Greek word', csv('πόλη,n', 'Άγιος,10', 'Πάτρα,20')],
  ['windows-1253', 'iso-8859-7', 'Greek words', csv('πόλη,n', 'Άγιος,10', 'Πάτρα,20', 'Άρτα,4')],
  ['iso-8859-15', 'windows-1252', 'Finnish words', csv('kaupunki,n', 'Šakki,1', 'žiletti,2', 'Jyväskylä,3')],
  ['iso-8859-15', 'windows-1252', 'a euro sign in the header', csv('Prix €,n', 'café,1', 'thé,2')],
  ['iso-8859-15', 'windows-1252', 'prices in euros', csv('prix,n', '5 €,1', '7 €,2')],
];

it.each(SIGNS_FOR_LETTERS)(
  'prefers %s to %s if the second encoding would turn letters into symbols: %s',
  async (encoding, other, _, text) => {
    const { columns, rows, description } = await files.convert(encode(text, encoding), 'csv');
    expect(description.dialect).toMatchObject({ encoding, uncertain: expect.arrayContaining(['encoding']) });
    expect(description.dialect!.other_encodings).toContain(other);
    expect(columns.map((column) => column.replace(/ \w+$/, ''))).toEqual(text.split('\n')[0]!.split(','));
    expect(rows.map((row) => row.map(String))).toEqual(rowsOf(text));
  },
);

it.each([
  ['iso-8859-7', csv('πόλη,n', 'Άγιος,10', 'Πάτρα,20', 'Άρτα,4', 'Άμφισσα,6')],
  ['iso-8859-6', csv('المنتج,الكمية', 'برغي,10', 'مسمار,20')],
  ['iso-8859-10', csv('pilsēta,skaits', 'Rīga,10', 'Jūrmala,20', 'krēsls,5', 'ķirsis,7')],
])('detects the rare encoding %s', async (encoding, text) => {
  const { rows, description } = await files.convert(encode(text, encoding), 'csv');
  expect(description.dialect).toMatchObject({ encoding, other_encodings: [] });
  expect(rows.map((row) => row.map(String))).toEqual(rowsOf(text));
});

it.each([
  ['gb18030', 'Chinese words', csv('产品,数量', '螺丝,10', '木板,20', '北京,4')],
  ['euc-kr', 'Korean words', csv('제품,수량', '나사,10', '판자,20', '서울,4')],
  ['shift_jis', 'kanji', csv('製品,数量', '木材,10', '鉄板,20', '東京,3')],
  ['windows-1251', 'two Russian words', csv('id,name', '1,Да', '2,Нет')],
  ['ibm866', 'two Russian words', csv('id,name', '1,Да', '2,Нет')],
  [
    'windows-1252',
    'words in many languages',
    csv('Größe,Preis €,Hinweis', 'groß,10,„neu“ – geprüft', 'mäßig,20,naïve façade', 'Señor,30,coração Þór'),
  ],
  ['cp850', 'German', csv('Stück,März', 'Bänke,groß', 'Möbel,schön')],
  ['cp850', 'French', csv('café,qté', 'thé,1')],
  ['cp852', 'Polish', csv('miasto,ilość', 'Łódź,10', 'Wrocław,20', 'księżyc,30')],
  ['iso-8859-15', 'French with ligatures', csv('nom,n', 'cœur,1', 'œuvre,2')],
  ['iso-8859-4', 'Latvian', csv('pilsēta,skaits', 'Rīga,10', 'Jūrmala,20', 'krēsls,5', 'ķirsis,7')],
  ['iso-8859-3', 'Maltese', csv('isem,n', 'Ħamrun,10', 'Ċirkewwa,20', 'Għarb,5', 'Żurrieq,4')],
  ['windows-1250', 'Romanian', csv('oraş,n', 'Bucureşti,10', 'Timişoara,20')],
])('suggests %s when rejecting %s, and reads the file if the encoding is specified', async (encoding, _, text) => {
  const sentence = await refusal(files.convert(encode(text, encoding), 'csv'));
  expect(sentence.split('. ')[0]!.split(/ or | may be /)).toContain(encoding);
  const { rows, description } = await files.convert(encode(text, encoding), 'csv', { dialect: { encoding } });
  expect(rows.map((row) => row.map(String))).toEqual(rowsOf(text));
  expect(description.dialect!.encoding).toBe(encoding);
});

it.each([
  ['CP850', 'cp850', csv('café,n', 'Stück,1')],
  ['437', 'cp437', csv('café,n', 'Stück,1')],
  ['ibm852', 'cp852', csv('Łódź,n', 'księżyc,1')],
  ['cp857', 'cp857', csv('ağaç,n', 'İstanbul,1')],
  ['cp858', 'cp858', csv('n €,n', 'é,1')],
  ['latin10', 'iso-8859-16', csv('oraș,n', 'Galați,1')],
])('accepts %s as a name of the encoding %s', async (label, encoding, text) => {
  const { columns, rows, description } = await files.convert(encode(text, encoding), 'csv', {
    dialect: { encoding: label },
  });
  expect(description.dialect!.encoding).toBe(encoding);
  expect(columns[0]).toBe(`${text.split(',')[0]!} text`);
  expect(rows.map((row) => row.map(String))).toEqual(rowsOf(text));
});

it('rejects bytes that do not exist in the specified code page', async () => {
  const reading = files.convert(Buffer.from([0xd5, 0xe7]), 'csv', { dialect: { encoding: 'cp857' } });
  expect(await refusal(reading)).toBe('The file is not encoded in cp857. Choose another encoding.');
});

it('keeps apostrophes and fractions in Windows-1252', async () => {
  const text = csv('name,n', 'O´Neil,2', '1½,3', 'Bär,7');
  const { rows, description } = await files.convert(encode(text, 'windows-1252'), 'csv');
  expect(rows.map((row) => row.map(String))).toEqual(rowsOf(text));
  expect(description.dialect!.encoding).toBe('windows-1252');
});

const UNPROVEN: [string, string, string][] = [
  ['macintosh', 'a word that is also German in a DOS code page', csv('Mîbel,Menge', 'a,1')],
  ['windows-1250', 'Hungarian words', csv('n,v', 'fűtés,1', 'hűtő,2')],
  ['windows-1257', 'Estonian words', csv('toode,n', 'kõrgus,10', 'žürii,20')],
  ['windows-1250', 'Romanian towns', csv('n,v', 'Timişoara,1', 'Bucureşti,2')],
  ['windows-1250', 'one Polish word', csv('city,n', 'Wrocław,10')],
  ['macintosh', 'German', csv('Stück,März', 'Bänke,groß', 'Möbel,schön')],
  ['gb18030', 'two words that are also Korean', csv('a,b', '产,1', '件,2')],
  ['euc-jp', 'kanji that fit GB18030', csv('商品名,倉庫', '机,東京', '椅子,大阪', '本棚,名古屋')],
  ['euc-jp', 'kanji that fit EUC-KR', csv('在庫,倉庫', '机,東京', '椅子,大阪', '子供,京都')],
  ['euc-jp', 'a rare kanji', csv('商品名,倉庫', ...Array.from({ length: 20 }, () => '椅子,東京'), '囗,大阪')],
  ['gb18030', 'words that fit EUC-KR', csv('产品,仓库', '床,北京', '灯,本金', '笔,杭')],
  ['shift_jis', 'half-width katakana', csv('a,b', 'ﾈｼﾞ,1', 'ﾎﾞﾙﾄ,2')],
];

it.each(UNPROVEN)('rejects text whose encoding is probably, but not certainly, %s: %s', async (encoding, _, text) => {
  const sentence = await refusal(files.convert(encode(text, encoding), 'csv'));
  expect(sentence).toMatch(
    /^The encoding of the file is unknown(?:, but it may be [\w-]+(?: or [\w-]+)*)?\. Line [12] is not UTF-8, near "/,
  );
  expect(sentence).toMatch(/\. Save the file as UTF-8, or state its encoding as dialect\.encoding$/);
});

describe('UTF-8 text with a few invalid bytes', () => {
  const names = Array.from({ length: 300 }, (_, index) => `Zoë ${index},${index}`);
  const broken = (text: string, bytes: number[]): Buffer => {
    const [before, after] = text.split('?') as [string, string];
    return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
  };
  const ending = '. Save the file as UTF-8, or state its encoding as dialect.encoding';

  it.each<[string, string, number[], number, string]>([
    ['a Windows-1252 letter at the end', csv('name,n', ...names, 'caf?,5'), [0xe9], 302, 'caf\ufffd,5'],
    ['a Windows-1252 letter at the start', csv('n?me,n', ...names), [0xe4], 1, 'n\ufffdme,n'],
    ['a byte that no encoding uses', csv('name,n', 'Zoë,1', 'x?,2', ...names), [0x81], 3, 'x\ufffd,2'],
    ['a truncated character', csv('name,n', 'Zoë,1', 'x?'), [0xe2, 0x82], 3, 'x\ufffd'],
    ['half of a surrogate', csv('name,n', 'Zoë,1', 'x?,2', ...names), [0xed, 0xa0, 0x80], 3, 'x\ufffd\ufffd\ufffd,2'],
    ['a quoted line break before the invalid byte', csv('name,n', '"Zoë\nx",1', 'x?,2'), [0xff], 4, 'x\ufffd,2'],
    ['lines that end in CRLF', csv('name,n', ...names, 'caf?,5').replaceAll('\n', '\r\n'), [0xe9], 302, 'caf\ufffd,5'],
    ['a byte order mark', '\ufeffname,n\ncaf?,5\n', [0xe9], 2, 'caf\ufffd,5'],
  ])('is rejected with the number of the first invalid line: %s', async (_, text, bytes, line, excerpt) => {
    expect(await refusal(files.convert(broken(text, bytes), 'csv'))).toBe(
      `Line ${line} has bytes that are not UTF-8, near ${JSON.stringify(excerpt)}${ending}`,
    );
  });

  it('is read with U+FFFD for invalid bytes if errors are ignored', async () => {
    const content = broken(csv('name,n', ...names, 'caf?,5'), [0xe9]);
    const { rows, description } = await files.convert(content, 'csv', { ignoreErrors: true });
    expect(rows).toEqual([...names.map((_, index) => [`Zoë ${index}`, index]), ['caf\ufffd', 5]]);
    expect(description.dialect!.encoding).toBe('utf-8');
  });

  it('is rejected even if the bytes are beyond the first mebibyte', async () => {
    const long = Array.from({ length: 60_000 }, (_, index) => `Zoë Brontë ${index},${index}`);
    expect(await refusal(files.convert(broken(csv('name,n', ...long, 'caf?,5'), [0xe9]), 'csv'))).toMatch(
      /^Line 60002 has bytes that are not UTF-8, near "caf\ufffd,5"/,
    );
  });

  it('is rejected in a JSON file', async () => {
    const content = broken('[{"name":"Zoë"},\n{"name":"caf?"}]', [0xe9]);
    expect(await refusal(files.convert(content, 'json'))).toBe(
      `Line 2 has bytes that are not UTF-8, near ${JSON.stringify('{"name":"caf\ufffd"}]')}. Save the file as UTF-8`,
    );
    expect((await files.convert(content, 'json', { ignoreErrors: true })).rows).toEqual([['Zoë'], ['caf\ufffd']]);
  });

  it('is not confused with UTF-16 text without a byte order mark', async () => {
    expect(await refusal(files.convert(Buffer.from('name,n\nZoë,1\n', 'utf16le'), 'csv'))).toBe(
      `The file is not text, or its encoding is unknown${ending}`,
    );
  });
});

it.each([
  ['a workbook', '504b030414000000', /ZIP archive, such as an XLSX workbook\. Give a workbook the ending \.xlsx/],
  ['an old workbook', 'd0cf11e0a1b11ae1', /old workbook \(\.xls\)\. Save it as \.xlsx or CSV/],
  ['a Parquet file', '5041523115041500', /Parquet file\. Give it the ending \.parquet/],
  ['a PDF', '255044462d312e370a', /PDF\. Save its tables as CSV or XLSX/],
  ['a gzip archive', '1f8b080000000000', /gzip\. Unpack it/],
])('rejects %s that has the extension of a text file and suggests a remedy', async (_, start, sentence) => {
  for (const format of ['csv', 'tsv', 'json'] as const)
    expect(await refusal(files.convert(Buffer.from(start, 'hex'), format))).toMatch(sentence);
});

it('reads text that starts with the magic bytes of a Parquet file', async () => {
  expect((await files.convert('PAR1,n\nx,1\n', 'csv')).rows).toEqual([['x', 1]]);
});
