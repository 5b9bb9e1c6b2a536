/**
 * Bedrock's Converse, for models that are not Claude: Messages under other names, so such a candidate counts as one of the Messages dialect
 * to which no client's bytes can be passed through. Writes requests and reads answers; the client side is `client.ts`.
 */
import type { ConversationCodec } from '#canonical/codec'
import { messagesCodec } from '../messages/codec.ts'
import { converseReader, readResponse } from './answer-read.ts'
import { needsBytes, writeRequest } from './request-write.ts'

/** The codec towards Converse. Its other half, towards clients, is that of Messages. */
export const converseCodec: ConversationCodec = { ...messagesCodec, needsBytes, writeRequest, readResponse, reader: converseReader }
