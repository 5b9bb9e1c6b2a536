/**
 * Headers of a client that mean something to an upstream of the same dialect and are passed on; nothing else of a client's
 * own headers leaves the house. For a converted request the codec writes the headers that its dialect needs.
 */
import type { Dialect } from '#shared/ids'

interface Forwarded {
  /** As the upstream knows it, lower case. */
  name: string
  /** How clients may spell it, the upstream's own name first (CONTRACT section 5). */
  spellings: readonly string[]
}

const own = (name: string): Forwarded => ({ name, spellings: [name] })

export const forwarded: Readonly<Record<Dialect, readonly Forwarded[]>> = {
  chat: [],
  completions: [],
  responses: [own('openai-beta')],
  messages: [own('anthropic-beta'), { name: 'anthropic-version', spellings: ['anthropic-version', 'partner-version'] }],
  gemini: [],
}

const samplingVersion = '2023-06-01'

/**
 * The client's headers that go on, under the upstream's names. `get` answers a header by its name in lower case. `samples`: the
 * request must be taken with its temperature, which later versions of Messages refuse whatever the model can do.
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
