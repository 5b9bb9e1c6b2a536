/**
 * The registry of codecs: which dialects this build speaks. A new dialect is one line in each table.
 * Must know nothing of a dialect but its codec's name.
 */
import type { PassthroughCodec, WrittenError } from '#canonical/codec'
import { chatPassthrough } from '#protocols/openai/chat/codec'
import { writeError } from '#protocols/openai/error'
import { writeModel, writeModelList } from '#protocols/openai/models'
import type { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'

/** Same dialect on both sides. Chat is always there; the playground speaks it. */
export const passthroughCodecs: Partial<Record<Dialect, PassthroughCodec>> & { chat: PassthroughCodec } = { chat: chatPassthrough }

/** How a door writes a refusal, by the dialect whose envelope it uses. */
export const errorWriters = { chat: writeError } satisfies Partial<Record<Dialect, (error: GatewayError, requestId?: string) => WrittenError>>

/** How the models of a group are listed, by the dialect whose format is asked for. */
export const modelWriters = { chat: { list: writeModelList, one: writeModel } }
