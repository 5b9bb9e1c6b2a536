/**
 * Random Chat requests and streams that follow the vendors' documents, with unknown fields. Each text is written twice, as received and as
 * it must be forwarded; the generator is independent of the codecs. The same seed gives the same texts.
 */
import type { Seeded } from '#testing/seeded'

/** A text as received and as it must be forwarded. */
export type Pair = [came: string, left: string]

const same = (text: string): Pair => [text, text]

function join(pairs: Pair[], between = ''): Pair {
  return [
    pairs
      .map(([came]) => came)
      .filter(Boolean)
      .join(between),
    pairs
      .map(([, left]) => left)
      .filter(Boolean)
      .join(between),
  ]
}

const strange = (random: Seeded): string =>
  random.pick([
    '1.0',
    '-0',
    '1E400',
    '12345678901234567890123',
    '"model"',
    '"\\ud83d\\ude00 \\"model\\": \\"x\\""',
    '"日本🎉\\n\\\\"',
    '{"model":"deep","usage":null,"a":[{}, [ ]]}',
    '[ "x" , {"model":1} ]',
    'null',
    'true',
    '""',
  ])

const oddNames = ['x_new', 'x\\u005fnew', 'obfuscation', 'ünï', 'Model', 'model '] as const
const unknown = (random: Seeded): Pair => same(`"${random.pick(oddNames)}" : ${strange(random)}`)
/** For a request, which is refused with a name twice or with a variant of a known one. */
const unknowns = (random: Seeded): Pair[] =>
  [random.pick(['x_new', 'x\\u005fnew']), 'obfuscation', 'ünï', 'model ']
    .filter(() => random.below(2) === 0)
    .map((name) => same(`"${name}" : ${strange(random)}`))

/** Fields in random order, with white space between them. */
function object(random: Seeded, fields: Pair[]): Pair {
  const order = fields.map((field) => ({ field, at: random.fraction() })).sort((a, b) => a.at - b.at)
  return join([
    same('{'),
    join(
      order.map(({ field }) => field),
      ',',
    ),
    same('}'),
  ])
}

function padded(random: Seeded, pair: Pair): Pair {
  const space = () => random.pick(['', '', ' ', '\n  ', '\t'])
  const [before, after] = [space(), space()]
  return [`${before}${pair[0]}${after}`, `${before}${pair[1]}${after}`]
}

/** Model names as JSON text, without the quotes. */
export interface Names {
  asked: readonly [string, ...string[]]
  upstream: string
}

/** A request body; `streams`: it asks for a stream, to which Parley adds the request for usage. */
export function requestTexts(random: Seeded, { asked, upstream }: Names, streams: boolean): Pair {
  const field = (pair: Pair) => padded(random, pair)
  const model = random.pick(['"model"', '"model"', '"mod\\u0065l"'])
  const fields: Pair[] = [
    field([`${model} :"${random.pick(asked)}"`, `${model} :"${upstream}"`]),
    field(same(`"messages": [ {"role":"user","content": ${strange(random)}, "new":${strange(random)}}, ${strange(random)} ]`)),
    ...unknowns(random).map(field),
  ]
  if (streams) fields.push(field(same('"stream" : true')))
  const usage = random.below(2) === 0
  if (usage) fields.push(field(['"stream_options":{"x":1.0 }', '"stream_options":{"x":1.0,"include_usage":true }']))
  else fields.push(['"stream_options":null', '"stream_options":{"include_usage":true}'])
  return padded(random, object(random, fields))
}

/** One event of a stream; `hides`: usage is withheld from this client. */
function chunk(random: Seeded, hides: boolean, delta: string, finish: string): Pair {
  const fields: Pair[] = [
    same('"id":"chatcmpl-1"'),
    same('"object" : "chat.completion.chunk"'),
    ['"model": "upstream"', '"model": "asked"'],
    same(`"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}, "new":${strange(random)}}]`),
    ...Array.from({ length: random.below(3) }, () => unknown(random)),
  ]
  if (random.below(2) === 0) fields.push(hides ? ['"usage":null', ''] : same('"usage":null'))
  return object(random, fields)
}

function framed(random: Seeded, [came, left]: Pair): Pair {
  const end = random.pick(['\n', '\n', '\n', '\r\n', '\r'])
  const before = random.pick(['', '', '', `: note "model"${end}`, `id: 7${end}`, `retry: 5${end}event: x${end}`])
  const prefix = random.pick(['data: ', 'data: ', 'data:'])
  return [`${before}${prefix}${came}${end}${end}`, `${before}${prefix}${left}${end}${end}`]
}

/** A stream of the model `upstream` to a client that asked for `asked`. */
export function streamTexts(random: Seeded, hides: boolean): Pair {
  const deltas = ['{"role":"assistant","content":""}', '{"content":"日本🎉"}', '{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}']
  const events: Pair[] = []
  if (random.below(4) === 0) events.push(same('\ufeff: hello\n\n'))
  for (let i = 1 + random.below(8); i > 0; i--) {
    const delta = random.pick([`{"reasoning_content":"hm","x":${strange(random)}}`, ...deltas])
    events.push(framed(random, chunk(random, hides, delta, 'null')))
    if (random.below(4) === 0) events.push(same(random.pick([': keep-alive\n\n', '\n', 'event: ping\r\n\r\n', ':\r\r'])))
  }
  events.push(framed(random, chunk(random, hides, '{}', '"stop"')))
  const [usage] = framed(random, same('{"model":"asked","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"new":1}}'))
  events.push(hides ? [usage, ''] : same(usage))
  events.push(framed(random, same('[DONE]')))
  return join(events)
}
