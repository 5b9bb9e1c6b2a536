/**
 * Chat between a client and an upstream that both speak it: the bytes pass, but for the closed list of DESIGN section 3.
 * Each step has its file: head and edit for the request, meter and whole for the answer. Knows no channel and no price.
 */
import type { PassthroughCodec } from '#canonical/codec'
import { readError, writeError, writeStreamError } from '../error.ts'
import { editRequest } from './edit.ts'
import { readHead } from './head.ts'
import { chatMeter } from './meter.ts'
import { readWhole } from './whole.ts'

export const chatPassthrough: PassthroughCodec = {
  dialect: 'chat',
  readHead,
  editRequest,
  meter: chatMeter,
  readWhole,
  keepalive: new TextEncoder().encode(': keep-alive\n\n'),
  readError,
  writeError,
  writeStreamError,
}
