/**
 * Chat, both halves. Between a client and an upstream that both speak it the bytes pass, but for the closed list of DESIGN
 * section 3: head and edit for the request, meter and whole for the answer. Towards another dialect the request and the answer
 * are read into the canonical conversation and written from it: request-, response- and stream-, read and write. Knows no
 * channel and no price.
 */
import type { ConversationCodec, PassthroughCodec } from '#canonical/codec'
import { readError, writeError, writeStreamError } from '../error.ts'
import { editRequest, readHead, scan } from './head.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'
import { needsBytes } from './request-write-parts.ts'
import { readWhole } from './response-meter.ts'
import { readResponse } from './response-read.ts'
import { writeResponse } from './response-write.ts'
import { chatMeter } from './stream-meter.ts'
import { reader } from './stream-read.ts'
import { writer } from './stream-write.ts'

/** The half that passes bytes between a client and an upstream of this dialect. */
export const chatPassthrough: PassthroughCodec = {
  dialect: 'chat',
  scan,
  readHead,
  editRequest,
  meter: chatMeter,
  readWhole,
  keepalive: new TextEncoder().encode(': keep-alive\n\n'),
  readError,
  writeError,
  writeStreamError,
}

/** Both halves. */
export const chatCodec: ConversationCodec = {
  ...chatPassthrough,
  readRequest,
  needsBytes,
  writeRequest,
  readResponse,
  writeResponse,
  reader,
  writer,
}
