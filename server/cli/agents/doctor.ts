/**
 * Tests a running Parley as an agent of this dialect would use it: whether it responds, whether the key is valid, which models it has, and
 * with one of them an answer, a stream, a tool call and thinking. Each finding says how to fix it. The requests are real and charged.
 */
import type { Dialect } from '#shared/ids'

/** A finding. `weak`: agents work, but with reduced features. */
export interface Check {
  name: string
  state: 'works' | 'weak' | 'fails'
  found: string
  /** Absent where there is nothing to fix. */
  mend?: string
}

interface Question {
  url: string
  key: string
  dialect: Dialect
  model: string | undefined
}

const tool = 'report_weather'
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const about = 'Reports the weather of a city'
const text = 'Use the tool for the city of Oslo.'
const plain = 'Say OK.'
const limitMs = 60_000

type Kind = 'answer' | 'tool' | 'thinking'

interface Asked {
  path: string
  headers?: Record<string, string>
  body: Record<string, unknown>
}

/** The requests, in the form that the agents' libraries send. */
const requests: Record<Exclude<Dialect, 'completions'>, (model: string, kind: Kind, stream: boolean) => Asked> = {
  chat: (model, kind, stream) => ({
    path: '/v1/chat/completions',
    body: {
      ...{ model, stream, messages: [{ role: 'user', content: kind === 'tool' ? text : plain }], max_completion_tokens: 2048 },
      ...(stream && { stream_options: { include_usage: true } }),
      ...(kind === 'tool' && { tools: [{ type: 'function', function: { name: tool, description: about, parameters } }] }),
      ...(kind === 'thinking' && { reasoning_effort: 'low' }),
    },
  }),
  responses: (model, kind, stream) => ({
    path: '/v1/responses',
    body: {
      ...{ model, stream, input: kind === 'tool' ? text : plain, max_output_tokens: 2048, store: false },
      ...(kind === 'tool' && { tools: [{ type: 'function', name: tool, description: about, parameters }] }),
      ...(kind === 'thinking' && { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] }),
    },
  }),
  messages: (model, kind, stream) => ({
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: {
      ...{ model, stream, max_tokens: 2048, messages: [{ role: 'user', content: kind === 'tool' ? text : plain }] },
      ...(kind === 'tool' && { tools: [{ name: tool, description: about, input_schema: parameters }] }),
      ...(kind === 'thinking' && { thinking: { type: 'enabled', budget_tokens: 1024 } }),
    },
  }),
  gemini: (model, kind, stream) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      contents: [{ role: 'user', parts: [{ text: kind === 'tool' ? text : plain }] }],
      generationConfig: { maxOutputTokens: 2048, ...(kind === 'thinking' && { thinkingConfig: { includeThoughts: true } }) },
      ...(kind === 'tool' && { tools: [{ functionDeclarations: [{ name: tool, description: about, parameters }] }] }),
    },
  }),
}

/** Signs in an answer that the model has thought. */
const thoughts =
  /"(reasoning_content|reasoning|thinking|thought|encrypted_content)":\s*("[^"]|true|\{)|"(reasoning_tokens|thoughtsTokenCount)":\s*[1-9]/

interface DoctorAnswer {
  status: number
  type: string
  text: string
  /** The server's message of a failure. */
  message: string
}

async function ask(
  url: string,
  key: string,
  { path, headers, body }: Asked | { path: string; headers?: Record<string, string>; body?: undefined },
): Promise<DoctorAnswer> {
  try {
    const answer = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
    })
    const raw = await answer.text()
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: raw, message: messageIn(raw) }
  } catch (thrown) {
    return { status: 0, type: '', text: '', message: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

function messageIn(raw: string): string {
  try {
    const { error } = JSON.parse(raw) as { error?: { message?: unknown } }
    return typeof error?.message === 'string' ? error.message : ''
  } catch {
    return ''
  }
}

const refused = (name: string, { status, message }: DoctorAnswer, mend: string): Check => ({
  name,
  state: 'fails',
  found: status === 0 ? message || 'no answer' : `${status}: ${message || 'no reason given'}`,
  mend,
})

/** Findings in order; checks that cannot run because an earlier one failed are left out. Never rejects. */
export async function examine({ url, key, dialect, model: wanted }: Question): Promise<Check[]> {
  const ready = await ask(url, key, { path: '/readyz' })
  if (ready.status !== 200) return [refused('Parley', ready, 'Is it running, and is PARLEY_URL (or --url) its address?')]
  const checks: Check[] = [{ name: 'Parley', state: 'works', found: url }]
  const facts = await ask(url, key, { path: '/v1/key' })
  if (facts.status !== 200) return [...checks, refused('key', facts, 'Create a key on the page Keys, and set PARLEY_KEY to it.')]
  checks.push({ name: 'key', state: 'works', found: (JSON.parse(facts.text) as { name: string }).name })
  const list = await ask(url, key, { path: '/v1/models' })
  const models = list.status === 200 ? (JSON.parse(list.text) as { data: { id: string }[] }).data.map(({ id }) => id) : []
  const model = wanted ?? models[0]
  if (model === undefined || !models.includes(model)) {
    const found = models.length === 0 ? 'this key has none' : `there is no ${model}; there are ${models.slice(0, 8).join(', ')}`
    return [
      ...checks,
      {
        name: 'models',
        state: 'fails',
        found,
        mend: 'Add the model to a channel of the key’s group, with a price, or name another with --model.',
      },
    ]
  }
  checks.push({ name: 'models', state: 'works', found: `${models.length}; asking ${model}` })
  if (dialect === 'completions') return checks
  const asks = (kind: Kind, stream: boolean) => ask(url, key, requests[dialect](model, kind, stream))

  const whole = await asks('answer', false)
  if (whole.status !== 200) return [...checks, refused('answer', whole, 'Test the channel: `parley channels test`, or page Channels.')]
  checks.push({ name: 'answer', state: 'works', found: `${dialect}, ${whole.status}` })
  const stream = await asks('answer', true)
  const events = stream.text.split('\n').filter((line) => line.startsWith('data:')).length
  if (stream.status !== 200 || !stream.type.startsWith('text/event-stream') || events === 0)
    checks.push(
      refused('streaming', stream, 'Does a proxy in front of Parley buffer or change answers? docs/ways-to-run.md has one that does not.'),
    )
  else checks.push({ name: 'streaming', state: 'works', found: `${events} events` })
  const used = await asks('tool', false)
  if (used.status !== 200)
    checks.push(refused('tools', used, 'Choose a model that supports tools, or declare them in its channel (capabilities).'))
  else if (used.text.includes(tool)) checks.push({ name: 'tools', state: 'works', found: 'the model called one' })
  else
    checks.push({
      name: 'tools',
      state: 'weak',
      found: 'accepted, but the model called none',
      mend: 'Agents need a model that calls tools: try another with --model.',
    })
  const thought = await asks('thinking', false)
  if (thought.status !== 200)
    checks.push({ ...refused('thinking', thought, 'Switch thinking off in the agent, or choose a model that supports it.'), state: 'weak' })
  else if (thoughts.test(thought.text)) checks.push({ name: 'thinking', state: 'works', found: 'the model thought' })
  else
    checks.push({
      name: 'thinking',
      state: 'weak',
      found: 'accepted, but the model did not think',
      mend: 'The model may not support thinking; otherwise there is nothing to fix.',
    })
  return checks
}
