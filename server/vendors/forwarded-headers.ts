/**
 * Client headers that are forwarded to an upstream of the same dialect; no other client header is. For a converted request the codec
 * writes the headers of its dialect.
 */
import type { Dialect } from '#shared/ids'

interface Forwarded {
  /** The upstream's name, lower case. */
  name: string
  /** Accepted spellings, the upstream's own name first (CONTRACT section 5). */
  spellings: readonly string[]
}

const own = (name: string): Forwarded => ({ name, spellings: [name] })

/** The forwarded headers of each dialect. */
export const forwarded: Readonly<Record<Dialect, readonly Forwarded[]>> = {
  chat: [],
  completions: [],
  responses: [own('openai-beta')],
  messages: [own('anthropic-beta'), { name: 'anthropic-version', spellings: ['anthropic-version', 'partner-version'] }],
  gemini: [],
}

const samplingVersion = '2023-06-01'

/**
 * The client's headers to forward, under the upstream's names. `get` returns a header by its name in lower case. `samples`: the
 * request depends on its temperature, which later versions of Messages reject whatever the model supports.
 */
export function forwardedHeaders(
  dialect: Dialect,
  get: (name: string) => string | null | undefined,
  samples = false,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { name, spellings } of forwarded[dialect]) {
    const value = spellings.map(get).find((given) => given !== null && given !== undefined && given !== '')
    if (value) headers[name] = samples && name === 'anthropic-version' ? samplingVersion : value
  }
  return headers
}
