import { TextDecoder } from 'node:util';

/** First byte value beyond ASCII. */
const FIRST = 128;

/** Decodes text chunk by chunk. */
export interface Decoder {
  /** Name of the encoding. */
  readonly encoding: string;
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}

/** Characters for the bytes beyond ASCII, in DOS and other code pages that the runtime cannot decode. */
const CODE_PAGES: Record<string, string> = {
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
    '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  cp852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐' +
    '└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
  cp857:
    'ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\ufffdÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ\ufffd×ÚÛÙìÿ¯´\u00ad±\ufffd¾¶§÷¸°¨·¹³²■\u00a0',
  // The first 32 characters are control characters.
  'iso-8859-16':
    Array.from({ length: 32 }, (_, at) => String.fromCharCode(FIRST + at)).join('') +
    '\u00a0ĄąŁ€„Š§š©Ș«Ź\u00adźŻ°±ČłŽ”¶·žčș»ŒœŸżÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚß' +
    'àáâăäćæçèéêëìíîïđńòóôőöśűùúûüęțÿ',
};
// Code page 858 is code page 850 with the euro sign.
CODE_PAGES['cp858'] = CODE_PAGES['cp850']!.replace('ı', '€');

/** Returns the name of an encoding for an alias such as `ibm850`, `850` or `latin10`. */
const nameOf = (label: string): string => {
  const name = label.trim().toLowerCase();
  return name === 'latin10' ? 'iso-8859-16' : name.replace(/^(?:ibm|dos|cp)?[-_ ]?(\d{3})$/, 'cp$1');
};

/**
 * Returns the decoder for a code page or for an encoding from the Encoding Standard.
 *
 * @throws RangeError if the name is unknown
 */
export function decoderOf(label: string, fatal = false): Decoder {
  const characters = CODE_PAGES[nameOf(label)];
  return characters === undefined ? new TextDecoder(label, { fatal }) : new CodePage(nameOf(label), characters, fatal);
}

class CodePage implements Decoder {
  constructor(
    readonly encoding: string,
    private readonly characters: string,
    private readonly fatal: boolean,
  ) {}

  decode(bytes: Uint8Array = new Uint8Array()): string {
    const codes = Buffer.alloc(2 * bytes.length);
    for (const [at, byte] of bytes.entries())
      codes.writeUInt16LE(byte < FIRST ? byte : this.characters.charCodeAt(byte - FIRST), 2 * at);
    const text = codes.toString('utf16le');
    if (this.fatal && text.includes('\ufffd')) throw new TypeError(`The text is not encoded in ${this.encoding}`);
    return text;
  }
}
