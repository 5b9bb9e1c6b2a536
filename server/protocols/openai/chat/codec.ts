/**
 * Chat, both halves. Between a client and an upstream of this dialect the bytes pass, except for the closed list of edits of DESIGN section
 * 3: head and edit for the request, meter and whole for the answer. For another dialect the request and the answer are converted through
 * the canonical conversation: request-, response- and stream-, read and write. Knows no channel and no price.
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
