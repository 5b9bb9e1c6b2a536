/**
 * A scripted payment system: it keeps an outbox of payments and refunds and delivers each at least once, as Stripe and others say of
 * theirs: repeated though it was answered, in any order, given up when an answer takes too long and sent again later, to any address.
 */
import { seeded } from '#testing/seeded'

/** A payment, or the refund of one. */
export type PaymentEvent =
  | { reference: string; user: string; amount: string; reason: string }
  | { reference: string; of: string; amount: string; reason: string }

/** What was sent and answered. */
export interface Deliveries {
  sent: number
  /** Deliveries that were given up before their answer. */
  timedOut: number
  /** By reference: every answer with a status of 201, as text. */
  answers: Map<string, string[]>
  /** Answers with another status, but for refunds that came before their payment. */
  refused: { reference: string; status: number; text: string }[]
}

/** Delivers every event until it has been answered `times` times. `urls`: asked in turns of chance; one that is away is asked again. */
export async function deliver(
  events: readonly PaymentEvent[],
  { urls, headers, seed, times = 3 }: { urls: () => readonly string[]; headers: Record<string, string>; seed: number; times?: number },
): Promise<Deliveries> {
  const random = seeded(seed)
  const told: Deliveries = { sent: 0, timedOut: 0, answers: new Map(), refused: [] }
  const outbox = events.flatMap((event) => Array.from({ length: times }, () => event))
  const shuffled = outbox.map((event) => ({ event, place: random.below(1_000_000) })).sort((a, b) => a.place - b.place)

  async function post(event: PaymentEvent): Promise<boolean> {
    const list = urls()
    const path = 'of' in event ? '/api/credits/refund' : '/api/credits'
    told.sent += 1
    // Some are given up at once, and some while they are worked on.
    const patienceMs = random.below(4) === 0 ? random.below(15) : 20_000
    try {
      const answer = await fetch(`${list[random.below(list.length)]}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(event),
        signal: AbortSignal.timeout(patienceMs),
      })
      const text = await answer.text()
      if (answer.status === 201) {
        told.answers.set(event.reference, [...(told.answers.get(event.reference) ?? []), text])
        return true
      }
      const isEarly = 'of' in event && answer.status === 404
      if (!isEarly && answer.status < 500) {
        told.refused.push({ reference: event.reference, status: answer.status, text })
        return true
      }
      return false
    } catch {
      told.timedOut += 1
      return false
    }
  }

  async function sender(): Promise<void> {
    for (let next = shuffled.shift(); next; next = shuffled.shift()) if (!(await post(next.event))) shuffled.push(next)
  }
  await Promise.all(Array.from({ length: 12 }, sender))
  return told
}
