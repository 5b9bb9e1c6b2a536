/**
 * Responses, on either side. Passthrough between a client and an upstream of this dialect (head, edit, meter, whole), and conversion to and
 * from the canonical conversation (request-*, response-*, stream-*). State stored elsewhere is resolved before this codec sees a
 * conversation: it reports references, and follows none. Knows no channel and no price.
 */
import type { ConversationCodec } from '#canonical/codec'
import { readError, writeError } from '../error.ts'
import { writeStreamError } from './error.ts'
import { editRequest, readHead, scan } from './head.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'
import { needsBytes } from './request-write-content.ts'
import { readWhole } from './response-meter.ts'
import { readResponse } from './response-read.ts'
import { writeResponse } from './response-write.ts'
import { responsesMeter } from './stream-meter.ts'
import { responsesReader } from './stream-read.ts'
import { responsesWriter } from './stream-write.ts'

/** Both halves. */
export const responsesCodec: ConversationCodec = {
  dialect: 'responses',
  scan,
  readHead,
  editRequest,
  meter: responsesMeter,
  readWhole,
  keepalive: new TextEncoder().encode(': keep-alive\n\n'),
  readError,
  writeError,
  writeStreamError: (error) => writeStreamError(error),
  readRequest,
  needsBytes,
  writeRequest,
  readResponse,
  writeResponse,
  reader: responsesReader,
  writer: responsesWriter,
}
