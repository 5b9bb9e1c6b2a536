/**
 * Bedrock's Converse, for models that are not Claude: Messages under other names, so a candidate that speaks it counts as one of the
 * Messages dialect that no client's bytes can be sent to. Requests are written and answers read; nobody asks Parley in Converse.
 */
import type { ConversationCodec } from '#canonical/codec'
import { messagesCodec } from '../messages/codec.ts'
import { converseReader, readResponse } from './answer-read.ts'
import { needsBytes, writeRequest } from './request-write.ts'

/** The codec towards Converse. Its other half, towards clients, is that of Messages. */
export const converseCodec: ConversationCodec = { ...messagesCodec, needsBytes, writeRequest, readResponse, reader: converseReader }
