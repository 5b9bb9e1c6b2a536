/**
 * Meters both directions of one live session as the frames pass: the usage of each turn of the model, and the largest possible usage of the
 * next one. Never stores content. Every turn is charged once, by its own figures: the upstream's if it reports them, with the turn or after
 * it, else what was delivered.
 */
import type { RealtimeFrame, RealtimeLimits, RealtimeMeter } from '#canonical/operation/realtime'
import { noUsage, promptOf, type Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { type Body, pick, pickObject, pickObjects, pickText } from '../proto-json.ts'
import { nothingDelivered, readUsage } from '../usage.ts'
import { readLiveFrame } from './frame.ts'
import { messageIn } from './message.ts'

/** Tokens, by kind. */
interface Amount {
  text: number
  audio: number
}

/** Characters of base64 per token of audio: input has 16 kHz with 16 bits and 32 tokens a second, output 24 kHz and 25. */
const inputCharacters = (32_000 * 4) / 3 / 32
const outputCharacters = (48_000 * 4) / 3 / 25
/** Initial tokens that the upstream adds by itself. */
const unseen = 256

/** A turn of the model. */
interface Turn {
  delivered: Amount
  searches: number
  reported?: Usage
  /** The turn is complete, except perhaps for its figures. */
  isOver: boolean
  isPaid: boolean
}

const foreignState = (param: string) => new GatewayError('not_found', `There is no ${param.split('.').at(-1)} with this id.`, { param })
const setUpTwice = () => new GatewayError('invalid_value', 'A session is set up once, by its first frame.', { param: 'setup' })
const textTokens = (text: string | undefined) => Buffer.byteLength(text ?? '') / 4

/** The model's output in a message of the upstream; undefined if there is none. */
function outputIn(message: Body): Amount | undefined {
  const content = pickObject(message, 'serverContent') ?? {}
  const amount: Amount = { text: 0, audio: 0 }
  let speaks = false
  for (const part of pickObjects(pickObject(content, 'modelTurn') ?? {}, 'parts')) {
    speaks = true
    const { inlineData: _, inline_data: __, ...rest } = part
    const data = pickObject(part, 'inlineData')
    if (data) amount.audio += (pickText(data, 'data')?.length ?? 0) / outputCharacters
    else amount.text += textTokens(pickText(part, 'text') ?? JSON.stringify(rest))
  }
  const call = pickObject(message, 'toolCall')
  if (call) amount.text += textTokens(JSON.stringify(call))
  return speaks || call ? amount : undefined
}

/** The meter of one session. */
export function createLiveMeter({ model, maxOutput, context, dearest, isPlausible }: RealtimeLimits): RealtimeMeter {
  /** Input of the next turn: input and output of the last one, and what arrived since. */
  let before: Amount = { text: unseen, audio: 0 }
  let since: Amount = { text: 0, audio: 0 }
  let turn: Turn | undefined
  let isSetUp = false
  let isAwaited = false

  function estimate(delivered: Amount): Usage {
    const usage = noUsage()
    usage.in.fresh = Math.min(context, Math.ceil(before.text + since.text))
    usage.in.audio = Math.min(context, Math.ceil(before.audio + since.audio))
    usage.out.audio = Math.ceil(delivered.audio)
    usage.out.total = Math.ceil(delivered.text) + usage.out.audio
    return usage
  }

  /** The charge of a turn, which is made only once. */
  function paid(ended: Turn): Usage | undefined {
    if (ended.isPaid) return undefined
    ended.isPaid = true
    const usage = ended.reported ?? estimate(ended.delivered)
    usage.units.searches = ended.searches
    before = { text: promptOf(usage) - usage.in.audio + usage.out.total - usage.out.audio, audio: usage.in.audio + usage.out.audio }
    since = { text: 0, audio: 0 }
    return usage
  }

  /** Reads the figures of a message; of a turn the largest count. */
  function readFigures(message: Body, current: Turn): void {
    const raw = pickObject(message, 'usageMetadata')
    if (!raw) return
    const named = {
      ...raw,
      // Google's cloud calls them by these names itself.
      candidatesTokenCount: pick(raw, 'responseTokenCount') ?? pick(raw, 'candidatesTokenCount'),
      candidatesTokensDetails: pick(raw, 'responseTokensDetails') ?? pick(raw, 'candidatesTokensDetails'),
    }
    const reported = readUsage(named, nothingDelivered())?.usage
    if (!reported || isPlausible?.(reported) === false) return
    reported.raw = undefined
    if (!current.reported || promptOf(reported) + reported.out.total >= promptOf(current.reported) + current.reported.out.total)
      current.reported = reported
  }

  const newTurn = (): Turn => ({ delivered: { text: 0, audio: 0 }, searches: 0, isOver: false, isPaid: false })

  function answered(text: string): Usage | undefined {
    const message = messageIn(text)
    if (!message) return undefined
    const output = outputIn(message)
    let owed: Usage | undefined
    if (output) {
      isAwaited = false
      if (turn?.isOver) {
        owed = paid(turn)
        turn = undefined
      }
      turn ??= newTurn()
      turn.delivered.text += output.text
      turn.delivered.audio += output.audio
    }
    const content = pickObject(message, 'serverContent')
    const isComplete = content !== undefined && pick(content, 'turnComplete') === true
    if (isComplete) isAwaited = false
    if (!turn && pick(message, 'usageMetadata') !== undefined) turn = newTurn()
    if (!turn) return owed
    readFigures(message, turn)
    if (content) turn.searches += searchesIn(content)
    if (isComplete) turn.isOver = true
    // Its figures may follow it.
    return turn.isOver && turn.reported ? (paid(turn) ?? owed) : owed
  }

  return {
    asked(frame) {
      const read = typeof frame === 'string' ? readOr(frame) : frame
      if (read instanceof GatewayError) return { refusal: read }
      const { type, size, models, state } = read
      if (state) return { refusal: foreignState(state) }
      if (type === 'setup' && isSetUp) return { refusal: setUpTwice() }
      if (models.some((one) => model !== undefined && one !== model)) return { refusal: setUpTwice() }
      isSetUp = true
      since.text += size.text
      since.audio += size.sound / inputCharacters
      if (type === 'clientContent' || type === 'toolResponse') isAwaited = true
      // The model's answer to a result is charged separately.
      if (type === 'toolResponse' && turn) turn.isOver = true
      return {}
    },
    answered,
    running: () => Number(isAwaited || (turn !== undefined && !turn.isOver)),
    next() {
      const usage = estimate({ text: 0, audio: 0 })
      usage.out.total = maxOutput
      usage.out.audio = dearest === 'audio' ? maxOutput : 0
      return usage
    },
    unfinished() {
      const { reported, delivered } = turn ?? newTurn()
      return turn && (reported || delivered.text + delivered.audio > 0) ? paid(turn) : undefined
    },
  }
}

function searchesIn(content: Body): number {
  const grounding = pickObject(content, 'groundingMetadata')
  const queries = grounding && pick(grounding, 'webSearchQueries')
  return Array.isArray(queries) ? queries.length : 0
}

function readOr(frame: string): RealtimeFrame | GatewayError {
  try {
    return readLiveFrame(frame)
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
}
