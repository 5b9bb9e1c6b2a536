/**
 * The Messages dialect. Passthrough between a client and an upstream of this dialect: `head` and `request-edit` for the request,
 * `stream-meter` and `response-meter` for the answer. Conversion to and from the canonical conversation: the files with `read` and `write`
 * in their names. Knows no channel and no price.
 */
import type { ConversationCodec } from '#canonical/codec'
import { readError, writeError, writeStreamError } from '../error.ts'
import { writeEvent } from '../frame.ts'
import { editRequest } from '../request-edit.ts'
import { readHead, scan } from './head.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'
import { needsBytes } from './request-write-media.ts'
import { readWhole } from './response-meter.ts'
import { readResponse } from './response-read.ts'
import { writeResponse } from './response-write.ts'
import { messagesMeter } from './stream-meter.ts'
import { messagesReader } from './stream-read.ts'
import { messagesWriter } from './stream-write.ts'

/** The codec of the Messages dialect. */
export const messagesCodec: ConversationCodec = {
  dialect: 'messages',
  scan,
  readHead,
  editRequest,
  meter: messagesMeter,
  readWhole,
  keepalive: new TextEncoder().encode(writeEvent('ping', {})),
  readError,
  writeError,
  writeStreamError,
  readRequest,
  needsBytes,
  writeRequest,
  readResponse,
  writeResponse,
  reader: messagesReader,
  writer: messagesWriter,
}
