/**
 * Gemini's generateContent. Passthrough between a client and an upstream of this dialect: `head` and `request-edit` for the request,
 * `stream-meter` and `response-meter` for the answer. Conversion to and from the canonical conversation: the files with `read` and `write`
 * in their names. Streams are server-sent events; a client that asked for a JSON array gets them through `wire/json-array`. Knows no
 * channel and no price.
 */
import type { ConversationCodec } from '#canonical/codec'
import { scan } from '../body-names.ts'
import { readError, writeError, writeStreamError } from '../error.ts'
import { editRequest } from '../request-edit.ts'
import { readHead } from './head.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'
import { needsBytes } from './request-write-media.ts'
import { readWhole } from './response-meter.ts'
import { readResponse } from './response-read.ts'
import { writeResponse } from './response-write.ts'
import { geminiMeter } from './stream-meter.ts'
import { geminiReader } from './stream-read.ts'
import { geminiWriter } from './stream-write.ts'

/** The codec of the generateContent dialect. */
export const geminiCodec: ConversationCodec = {
  dialect: 'gemini',
  scan,
  readHead,
  editRequest,
  meter: geminiMeter,
  readWhole,
  // A comment that is an event of its own: Google's SDK would drop an event that it is joined to.
  keepalive: new TextEncoder().encode(': keep-alive\n\n'),
  readError,
  writeError,
  writeStreamError,
  readRequest,
  needsBytes,
  writeRequest,
  readResponse,
  writeResponse,
  reader: geminiReader,
  writer: geminiWriter,
}
