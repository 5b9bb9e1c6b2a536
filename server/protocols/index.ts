/**
 * The registry of codecs: the dialects that this build supports. A new dialect is one line in each table. Must know nothing of a dialect
 * but its codec's name.
 */
import type { ConversationCodec, CountCodec, WrittenError } from '#canonical/codec'
import type { CompactionCodec } from '#canonical/compaction-codec'
import { converseCodec } from '#protocols/anthropic/converse/codec'
import { writeError as writeConverseError } from '#protocols/anthropic/converse/error'
import { countTokens } from '#protocols/anthropic/count-tokens/codec'
import { writeError as writeMessagesError } from '#protocols/anthropic/error'
import { messagesCodec } from '#protocols/anthropic/messages/codec'
import * as messagesModels from '#protocols/anthropic/models'
import {
  editCountRequest,
  readCountHead,
  readCountRequest,
  readCountResponse,
  writeCountRequest,
  writeCountResponse,
} from '#protocols/gemini/count-tokens/codec'
import { writeError as writeGeminiError } from '#protocols/gemini/error'
import { geminiCodec } from '#protocols/gemini/generate-content/codec'
import * as geminiModels from '#protocols/gemini/models'
import { writeError as writeOllamaError } from '#protocols/ollama/error'
import { chatCodec } from '#protocols/openai/chat/codec'
import { completionsCodec } from '#protocols/openai/completions/codec'
import { countResponses } from '#protocols/openai/count-tokens/codec'
import { writeError } from '#protocols/openai/error'
import * as openaiModels from '#protocols/openai/models'
import { replayResponse } from '#protocols/openai/response-replay'
import * as responseTurns from '#protocols/openai/response-turns'
import { responsesCodec } from '#protocols/openai/responses/codec'
import { compaction } from '#protocols/openai/responses/compaction'
import type { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'

export { converseCodec, replayResponse, responseTurns }

/** The codec of every dialect of generation. */
export const conversationCodecs = {
  chat: chatCodec,
  completions: completionsCodec,
  responses: responsesCodec,
  messages: messagesCodec,
  gemini: geminiCodec,
} satisfies Record<Dialect, ConversationCodec>

/** How an endpoint writes errors, by the dialect whose envelope it uses, or by its wording. */
export const errorWriters = {
  chat: writeError,
  messages: writeMessagesError,
  gemini: writeGeminiError,
  ollama: writeOllamaError,
  converse: writeConverseError,
} satisfies Record<string, (error: GatewayError, requestId?: string) => WrittenError>

/** Token counting, in the dialects that have it. */
export const countCodecs = {
  messages: countTokens,
  responses: countResponses,
  gemini: {
    scan: geminiCodec.scan,
    readHead: readCountHead,
    readRequest: readCountRequest,
    editRequest: editCountRequest,
    writeRequest: writeCountRequest,
    readResponse: readCountResponse,
    writeResponse: writeCountResponse,
  },
} satisfies Partial<Record<Dialect, CountCodec>>

/** Compaction, in the dialects that have it. */
export const compactionCodecs: Partial<Record<Dialect, CompactionCodec>> = { responses: compaction }

/** `{model}:{action}` of a Gemini path. Throws GatewayError `not_found` for an unknown action. */
export { namesAction as namesGeminiAction, readPath as geminiActions } from '#protocols/gemini/path'

/** Server-sent events to the JSON array that a Gemini client gets without `alt=sse`. */
export { createJsonArrayJoiner as geminiArray } from '#wire/json-array'

/** How the models of a group are listed, by the dialect of the format. */
export const modelWriters = { chat: openaiModels, messages: messagesModels, gemini: geminiModels }
