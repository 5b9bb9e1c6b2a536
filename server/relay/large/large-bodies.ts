/**
 * This thread's side of the worker for large bodies: callers take turns, one job at a time, and an idle worker is terminated after a while,
 * which frees all of its memory.
 */
import type { ConversationRequest } from '#canonical/conversation'
import type {
  LargeAsk,
  LargeBodies,
  LargeBody,
  LargeConversion,
  LargeConverted,
  StoredBytes,
  WeighedPieces,
} from '#relay/contract/large-body'
import type { Clock, Random, Timer } from '#runtime/clock'
import type { SocketFrame } from '#runtime/contract/sockets'
import { serverScript } from '#runtime/package-file'
import { platform } from '#runtime/platform'
import { nextTurn, turnEvery } from '#runtime/turns'
import { WorkerFault, WorkerLink } from '#runtime/worker-link'
import { GatewayError } from '#shared/errors'
import { parseExact } from '#shared/exact-numbers'
import type { CrossingConversion, CrossingConverted, LargeJobs } from './jobs.ts'
import type { Opened } from './opened.ts'
import { errorOf, type Refusal, refusalOf } from './refusal.ts'
import { createTurns } from './turns.ts'
import type { LargeMessage } from './worker.ts'

/** Milliseconds without a body before the worker is terminated. */
const restAfterMs = 20_000

/** Characters or bytes copied for the worker before the event loop gets a turn. */
const pieceLength = 1024 * 1024

/** Characters that begin the ids of one answer; six more follow. */
const seedLength = 18

const script = serverScript('relay/large/worker')

/** The worker starts with the first body. */
export function createLargeBodies(clock: Clock, random: Pick<Random, 'base62'>): LargeBodies & { close(): Promise<void> } {
  const link = new WorkerLink<LargeMessage>({ script, first: { kind: 'open' }, what: 'the worker for large bodies', clock })
  const turns = createTurns()
  let bodies = 0
  let held = 0
  let resting: Timer | undefined

  function stopWhenIdle(): void {
    resting?.cancel()
    if (held > 0) return
    resting = clock.after(restAfterMs, () => {
      link.rest()
      platform.giveBack()
    })
  }

  async function run<Name extends keyof LargeJobs>(
    caller: string,
    name: Name,
    args: Parameters<LargeJobs[Name]>,
    buffers: readonly ArrayBuffer[] = [],
  ): Promise<Awaited<ReturnType<LargeJobs[Name]>>> {
    resting?.cancel()
    const message = { kind: 'job', name, args } as Parameters<typeof link.ask>[0]
    const value = await turns.take(caller, () => link.ask(message, buffers)).catch(gone)
    if (isRefusal(value)) throw errorOf(value)
    return value as Awaited<ReturnType<LargeJobs[Name]>>
  }

  async function open({ pieces }: WeighedPieces, asked: LargeAsk, caller: string): Promise<LargeBody> {
    const id = ++bodies
    held += 1
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      held -= 1
      void run(caller, 'release', [id])
        .catch(() => undefined)
        .finally(stopWhenIdle)
    }
    try {
      const own = await ownPieces(pieces, alone)
      const buffers = own.map(({ buffer }) => buffer)
      const opened = await run(caller, 'open', [id, own, asked], buffers)
      return bodyOf(id, opened, {
        run: (name, args, buffers) => run(caller, name, args, buffers),
        seed: () => random.base62(seedLength),
        release,
      })
    } catch (thrown) {
      release()
      throw thrown
    }
  }

  return {
    open,
    async preview({ pieces }, dialect, caller) {
      try {
        const own = await ownPieces(pieces, alone)
        const buffers = own.map(({ buffer }) => buffer)
        return await run(caller, 'preview', [own, dialect], buffers)
      } finally {
        stopWhenIdle()
      }
    },
    async frame(frame, caller, style) {
      const id = ++bodies
      resting?.cancel()
      try {
        await link.open().catch(gone)
        let length = 0
        for (const piece of textIn(frame)) {
          length += piece.length
          // Not awaited: a missing piece is noticed at the end.
          link.ask({ kind: 'job', name: 'framePiece', args: [id, piece] }).catch(() => undefined)
          await nextTurn()
        }
        return await run(caller, 'frame', [id, length, style])
      } finally {
        stopWhenIdle()
      }
    },
    async answer(answers, wanted, caller) {
      const own: Uint8Array<ArrayBuffer>[][] = []
      for (const pieces of answers) own.push(await ownPieces(pieces, (piece) => new Uint8Array(piece)))
      try {
        const buffers = own.flat().map(({ buffer }) => buffer)
        return await run(caller, 'answer', [own, wanted], buffers)
      } finally {
        stopWhenIdle()
      }
    },
    async shown(stored, view, caller) {
      try {
        return await run(caller, 'shown', [stored, view], buffersOf(stored))
      } finally {
        stopWhenIdle()
      }
    },
    close() {
      resting?.cancel()
      return link.close({ kind: 'close' })
    },
  }
}

/** Copies the pieces into transferable buffers, a few at a time. */
async function ownPieces<Piece extends Uint8Array>(pieces: readonly Piece[], ownOf: (piece: Piece) => Uint8Array<ArrayBuffer>) {
  const own: Uint8Array<ArrayBuffer>[] = []
  const turn = turnEvery(pieceLength)
  for (const piece of pieces) {
    const made = ownOf(piece)
    own.push(made)
    if (made !== piece) await turn(piece.length)
  }
  return own
}

/** A frame in pieces of text, copied one at a time. */
function* textIn(frame: SocketFrame): Generator<string> {
  const decoder = new TextDecoder()
  for (let at = 0; at < frame.length; at += pieceLength) {
    const end = at + pieceLength
    yield typeof frame === 'string' ? frame.slice(at, end) : decoder.decode(frame.subarray(at, end), { stream: end < frame.length })
  }
}

interface Ways {
  run: Run
  /** The random prefix of the ids of one answer. */
  seed(): string
  release(): void
}

type Run = <Name extends keyof LargeJobs>(
  name: Name,
  args: Parameters<LargeJobs[Name]>,
  buffers?: readonly ArrayBuffer[],
) => Promise<Awaited<ReturnType<LargeJobs[Name]>>>

function bodyOf(id: number, opened: Opened, ways: Ways): LargeBody {
  const { run, seed, release } = ways
  return {
    ...opened,
    async continued(found) {
      const buffers = [...(found.before ?? []), ...found.referenced].flatMap(buffersOf)
      const { opened: next, unresolved, ...rest } = await run('continued', [id, found], buffers)
      return { ...rest, body: bodyOf(id, next, ways), ...(unresolved && { unresolved: errorOf(unresolved) }) }
    },
    async filled(files) {
      const buffers = [...files.values()].map(({ bytes }) => bytes.buffer)
      return bodyOf(id, await run('filled', [id, files], buffers), ways)
    },
    inDialect: async (asked) => bodyOf(id, await run('reworded', [id, asked]), ways),
    recorded: (answer, stream, conversation) => run('recorded', [id, answer, stream, conversation]),
    edited: (edits, refuses, finish, isOwn) => run('edited', [id, edits, refuses, finish, isOwn]),
    states: () => run('states', [id]),
    bareCalls: (known) => run('bareCalls', [id, known]),
    async converted(wanted) {
      const made = await run('converted', [id, crossing(wanted)])
      return 'wants' in made ? made : crossed(made)
    },
    outline: async () => outlineIn(await run('outline', [id])),
    compacted: (answer) => run('compacted', [id, answer, seed()]),
    questioned: (wanted) => run('questioned', [id, wanted]),
    answered: (bodies, wanted) => run('answered', [id, bodies, wanted]),
    release,
  }
}

function crossing({ files, ...wanted }: LargeConversion): CrossingConversion {
  const crossed = [...files].map(([url, file]) => [url, file instanceof GatewayError ? refusalOf(file) : file] as const)
  return { ...wanted, files: new Map(crossed) }
}

const outlineIn = (text: string) => parseExact(text) as ConversationRequest

function crossed({ outline, summary, ...rest }: CrossingConverted): LargeConverted {
  return { ...rest, outline: outlineIn(outline), ...(summary !== undefined && { summary: outlineIn(summary) }) }
}

const buffersOf = ({ pieces }: StoredBytes) => pieces.map(({ buffer }) => buffer)

/** A piece with its own buffer, so that it can be transferred. */
const alone = (piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  piece.byteLength === piece.buffer.byteLength ? piece : piece.slice()

const isRefusal = (value: unknown): value is Refusal => typeof value === 'object' && value !== null && 'refusal' in value

function gone(thrown: unknown): never {
  if (thrown instanceof WorkerFault && !thrown.isUnanswered) throw new Error(thrown.message)
  throw new GatewayError('overloaded', 'Large request bodies cannot be read at the moment. Nothing was charged. Try again shortly.', {
    retryAfter: 1,
    cause: thrown,
  })
}
