/** Models that stand in for another, by why it failed. From memory: the file's and the console's, as settings keep them. */

/** An error after all channels failed; a conversation too long for the model; a content filter that let nothing through. */
export const fallbackCauses = ['error', 'context', 'filter'] as const
export type FallbackCause = (typeof fallbackCauses)[number]

/** In the order in which they are tried. */
export type Fallbacks = Readonly<Record<FallbackCause, readonly string[]>>

/** Undefined for a model that nothing stands in for. */
export type FallbackBook = (model: string) => Fallbacks | undefined
