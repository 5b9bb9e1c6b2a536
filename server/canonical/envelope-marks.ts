/** How sealed envelopes begin, by which a text that has none is told cheaply from one that may. */

/** The beginning of an envelope. */
export const envelopeMark = 'gw1.'
/** The same in base64, whatever follows. */
export const envelopeMarkInBase64 = 'Z3cxL'

/** With one of these begins a string of every JSON text that has an envelope as a value. */
export const envelopeMarks = [envelopeMark, envelopeMarkInBase64] as const
