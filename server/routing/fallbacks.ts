/** Fallback models by the cause of the failure. From memory: the file's and the console's, as settings store them. */

/** `error`: all channels failed; `context`: the conversation is too long for the model; `filter`: the content filter blocked everything. */
export const fallbackCauses = ['error', 'context', 'filter'] as const
/** Why a model's fallback is used. */
export type FallbackCause = (typeof fallbackCauses)[number]

/** Model names by cause, in the order they are tried. */
export type Fallbacks = Readonly<Record<FallbackCause, readonly string[]>>

/** Looks up the fallbacks of a model; undefined when it has none. */
export type FallbackBook = (model: string) => Fallbacks | undefined
