/**
 * What the model behind every scripted vendor does, defined once so that all vendors can be compared: a vendor reads its own body into
 * `Asked`, and writes the `Reply` in its own format. A scenario is chosen by the user's last text (`scenario length, please`); without one
 * the model calls every tool offered, or repeats what it received. Independent of any wire format and of Parley.
 */

/** One attached file. */
export interface Media {
  mime: string
  /** Size of the decoded data. */
  bytes: number
}

/** The result of a call. */
export interface ToolResult {
  text: string
  failed: boolean
  media: Media[]
}

/** A request as a model sees it. */
export interface Asked {
  /** All instructions before the first turn, one line each. */
  system: string
  /** Every text of the user or the model, in order, as `user: ...` and `assistant: ...`. */
  turns: string[]
  /** The user's last text. */
  said: string
  /** Media of the user's last turn. */
  media: Media[]
  /** Tool results since then, and the number of rounds. */
  results: ToolResult[]
  rounds: number
  /** Tools that may be called now; `empty` for one without parameters. */
  tools: { name: string; empty: boolean }[]
  /** Some tool must be called. */
  forced: boolean
  parallel: boolean
  /** JSON with a schema is requested. */
  shaped: boolean
  stops: string[]
  /** The maximum number of words in the answer. */
  limit?: number | undefined
}

/** Why a reply ends. */
export type Ending = 'stop' | 'calls' | 'length' | 'refusal' | 'filter'

/** `error-first`: before any content; `error-late`: after some; `cut`: the connection breaks; `eof`: it ends properly, but too early. */
export type Trouble = 'error-first' | 'error-late' | 'cut' | 'eof'

/** Disjoint counts: `fresh` contains neither cache figure, `out` includes `reasoning`. */
export interface Tokens {
  fresh: number
  cacheRead: number
  cacheWrite: number
  out: number
  reasoning: number
}

/** What the model answers. */
export interface Reply {
  /** Thinking before the answer, in the pieces in which it is streamed. */
  thought: string[]
  text: string[]
  calls: { name: string; args: Record<string, unknown> }[]
  ending: Ending
  /** The stop sequence that ended the text. */
  stopped?: string
  usage: Tokens
  trouble?: Trouble
  /** Milliseconds between pieces. */
  everyMs?: number
}

type Draft = Partial<Omit<Reply, 'usage'>> & { usage?: Partial<Tokens> }

const words = (text: string) => text.split(/(?<= )/)
const cities = ['Paris', 'Oslo', '京都']
/** Thinking as it is streamed, with a three-byte character that can be cut. */
const thinking = (about: string) => ['Let me ', 'think… ', '思考 ', about]

/** How the model describes a file. */
export const seen = ({ mime, bytes }: Media) => `${mime} of ${bytes} bytes`

/** How the model describes tool results. */
export const answered = (results: ToolResult[]) =>
  results.map(({ text, failed, media }) => [...(failed ? ['(failed)'] : []), text, ...media.map(seen)].join(' ')).join(', ')

/** By the name that a user writes after the word `scenario`. */
export const scenarios: Record<string, (asked: Asked) => Draft> = {
  /** Calls every tool, each for another city, and then repeats their results. */
  tools: (asked) =>
    asked.results.length === 0 ? { calls: callsOf(asked, cities) } : { text: words(`They say: ${answered(asked.results)}`) },
  /** Answers in words although tools are offered. */
  talk: () => ({ text: words('Just talking.') }),
  system: ({ system }) => ({ text: words(`My instructions: ${system}`) }),
  recall: ({ turns }) => ({ text: words(`We said: ${turns.join(' | ')}`) }),
  look: ({ media }) => ({ text: words(`I see ${media.map(seen).join(' and ')}`) }),
  think: () => ({ thought: thinking('of 42'), text: words('The answer is 42.') }),
  /** Thinks and calls the first tool twice before it answers. */
  loop: ({ rounds, tools, results }) =>
    rounds < 2
      ? { thought: thinking(`at step ${rounds + 1}`), calls: tools.slice(0, 1).map(({ name }) => ({ name, args: { step: rounds + 1 } })) }
      : { thought: thinking('at the end'), text: words(`Found: ${answered(results)}`) },
  /** Follows lines such as `Read {"path":"a.txt"}`: calls one tool a round, and then repeats the results. */
  errand: ({ said, rounds, results }) => {
    const [, name, args] = [...said.matchAll(/^(\w+) (\{.*\})$/gm)][rounds] ?? []
    const usage = { fresh: 30, cacheRead: 60, cacheWrite: 0, out: 20, reasoning: 5 }
    if (name === undefined || args === undefined)
      return { thought: thinking('at the end'), text: words(`Done: ${answered(results)}`), usage }
    return { thought: thinking(`of ${name}`), calls: [{ name, args: JSON.parse(args) }], usage }
  },
  /** For stop sequences: a text with the word STOP in its middle. */
  count: () => ({ text: words('one two STOP three four') }),
  /** Forty words. */
  length: () => ({ text: Array.from({ length: 40 }, (_, number) => `word${number} `) }),
  refusal: () => ({ text: words('I cannot help with that.'), ending: 'refusal' }),
  filter: () => ({ text: words('This was going '), ending: 'filter' }),
  cache: () => ({ text: words('From the cache.'), usage: { fresh: 30, cacheRead: 60, cacheWrite: 10, out: 20, reasoning: 5 } }),
  'error-first': () => ({ trouble: 'error-first' }),
  'error-late': () => ({ text: words('This will break in the middle.'), trouble: 'error-late' }),
  cut: () => ({ text: words('This will be cut in the middle.'), trouble: 'cut' }),
  eof: () => ({ text: words('This will end in the middle.'), trouble: 'eof' }),
  /** Twelve seconds of words, so that a client can disconnect. */
  endless: () => ({ text: Array.from({ length: 400 }, () => 'on and '), everyMs: 30 }),
}

/** The name of the scenario that the user asked for. */
export const scenarioOf = (said: string): string | undefined =>
  Object.keys(scenarios).find((name) => new RegExp(`\\bscenario ${name}(?![a-z-])`).test(said))

/** The model's reply to a request. */
export function answerTo(asked: Asked): Reply {
  const draft = draftOf(asked)
  const { text, stopped } = untilStop(draft.text ?? [], asked.stops)
  const calls = draft.calls ?? []
  const tooLong = asked.limit !== undefined && text.length > asked.limit
  const reply = {
    thought: [],
    ending: tooLong ? ('length' as const) : calls.length > 0 ? ('calls' as const) : ('stop' as const),
    ...draft,
    calls,
    text: tooLong ? text.slice(0, asked.limit) : text,
    ...(stopped === undefined ? {} : { stopped }),
  }
  return { ...reply, usage: { ...usageOf(asked, reply), ...draft.usage } }
}

function draftOf(asked: Asked): Draft {
  const name = scenarioOf(asked.said)
  const scenario = name === undefined ? undefined : scenarios[name]
  if (asked.tools.length > 0 && asked.results.length === 0 && (asked.forced || scenario === undefined))
    return { calls: callsOf(asked, ['Paris']) }
  if (scenario !== undefined) return scenario(asked)
  if (asked.shaped) return { text: ['{"name":', '"Ada","age":', '36}'] }
  return { text: words(`You said: ${asked.results.length > 0 ? answered(asked.results) : asked.said}`) }
}

/** Calls every offered tool once. */
const callsOf = ({ tools, parallel }: Asked, cities: string[]) =>
  tools
    .slice(0, parallel ? undefined : 1)
    .map(({ name, empty }, number) => ({ name, args: empty ? {} : { city: cities[number % cities.length] } }))

function untilStop(pieces: string[], stops: string[]): { text: string[]; stopped?: string } {
  const whole = pieces.join('')
  const stopped = stops.filter((stop) => whole.includes(stop)).sort((a, b) => whole.indexOf(a) - whole.indexOf(b))[0]
  return stopped === undefined ? { text: pieces } : { text: words(whole.slice(0, whole.indexOf(stopped))), stopped }
}

const usageOf = ({ turns }: Asked, { text, thought, calls }: Pick<Reply, 'text' | 'thought' | 'calls'>): Tokens => ({
  fresh: 10 * Math.max(1, turns.length),
  cacheRead: 0,
  cacheWrite: 0,
  out: text.length + thought.length + 8 * calls.length,
  reasoning: thought.length,
})
