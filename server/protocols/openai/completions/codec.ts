/**
 * Legacy text completion, both halves. The bytes pass between a client and an upstream of this dialect. As a client dialect it converts one
 * text prompt; as an upstream dialect it only serves completions requests. Knows no channel and no price.
 */
import type { ConversationCodec } from '#canonical/codec'
import { readError, writeError, writeStreamError } from '../error.ts'
import { editRequest, readHead, scan } from './head.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'
import { readWhole } from './response-meter.ts'
import { readResponse } from './response-read.ts'
import { writeResponse } from './response-write.ts'
import { completionsMeter } from './stream-meter.ts'
import { reader } from './stream-read.ts'
import { writer } from './stream-write.ts'

/** Both halves; requests of other dialects are refused. */
export const completionsCodec: ConversationCodec = {
  dialect: 'completions',
  scan,
  readHead,
  editRequest,
  meter: completionsMeter,
  readWhole,
  keepalive: new TextEncoder().encode(': keep-alive\n\n'),
  readError,
  writeError,
  writeStreamError,
  readRequest,
  // Text only: bytes would not help.
  needsBytes: () => false,
  writeRequest,
  readResponse,
  writeResponse,
  reader,
  writer,
}
