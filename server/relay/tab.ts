/**
 * The money of a stream while it runs: what it has cost so far is looked at as it grows, more is held before that is used up,
 * and the journal is told at the first content and then each second, so that a crash charges what was delivered.
 */
import { within } from '#metering/within'
import type { Clock, Timer } from '#runtime/clock'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { Purse } from './purse.ts'

export interface TabParts {
  clock: Clock
  purse: Purse
  /** Nano-dollars so far: roughly, where the upstream does not say. */
  spent(): bigint
  /** The same, counted: asked when it decides whether the answer goes on. */
  counted(): bigint
  /** Tells the journal how far it is. */
  note(): void
}

export interface Tab {
  /** So many bytes more have come from the upstream. Undefined = it may go on; else the reason why it may not, once that is known. */
  passed(bytes: number): Promise<GatewayError | undefined> | undefined
  /** Nothing is noted after this. Resolves when no question to the books is open, or they take too long; undefined = none is. */
  close(): Promise<unknown> | undefined
}

/** Bytes of the upstream between two looks: a token has at least one, and seldom fewer than two hundred with its frame. */
const lookBytes = 4096
/**
 * Milliseconds that a stream waits at most once its hold is used up. The books take half a second for an answer, and a purse asks
 * them three times before it gives up.
 */
const patienceMs = 1_600
/** Milliseconds between two notes. */
const noteMs = 1_000

const noMoney = () =>
  new GatewayError('insufficient_quota', 'The balance does not cover the rest of this answer. What was answered is charged.')

const noAnswer = (cause: GatewayError) =>
  new GatewayError(
    'books_unavailable',
    'The accounts cannot be reached at the moment, and no more is held. What was answered is charged.',
    {
      retryAfter: 1,
      cause,
    },
  )

export function openTab({ clock, purse, spent, counted, note }: TabParts): Tab {
  let sinceLook = 0
  let later: Timer | undefined
  let isNew = true
  let isClosed = false

  function noteLater(): void {
    if (isNew) note()
    isNew = false
    later ??= clock.after(noteMs, () => {
      later = undefined
      note()
    })
  }

  async function answered(covered: Promise<boolean>): Promise<GatewayError | undefined> {
    try {
      if (await within(clock, patienceMs, covered)) return undefined
      const exactly = purse.cover(counted())
      return !exactly || (await within(clock, patienceMs, exactly)) ? undefined : noMoney()
    } catch (thrown) {
      const error = asGatewayError(thrown)
      return error.code === 'books_unavailable' ? noAnswer(error) : error
    }
  }

  return {
    passed(bytes) {
      if (isClosed) return undefined
      noteLater()
      sinceLook += bytes
      if (sinceLook < lookBytes) return undefined
      sinceLook = 0
      const covered = purse.cover(spent())
      return covered && answered(covered)
    },
    close() {
      isClosed = true
      later?.cancel()
      const asked = purse.quiet()
      return asked && within(clock, patienceMs, asked).catch(() => undefined)
    },
  }
}
