/**
 * Changes for the console's event stream. They are reported by topic, without values, at most four times a
 * second per watcher; for a watcher that does not read, only the set of topics is buffered. Start with `createLiveChanges`.
 */
import type { Clock, Timer } from '#runtime/clock'
import type { Topic } from '#shared/console/overview'
import { isTeamId, teamOfMember } from '#shared/ids'
import { longestSignal, type MirroredTable, type Store } from '#store/engine/store'

/** The watcher. Queried again on every change. */
export interface Watcher {
  userId: string
  isAdmin(): boolean
  /** Whether the session or management key of the watch is still valid. */
  isLive(): boolean
  /** Ids of the user's current keys. */
  keys(): Iterable<string>
  /** Ids of the user's current teams. */
  teams(): Iterable<string>
}

/** A running watch. */
export interface Watch {
  /** The next topics that have changed; undefined when the watch is over. One call at a time. */
  next(): Promise<Topic[] | undefined>
  /** Ends it. */
  close(): void
}

/** Reports changes to watchers. */
export interface LiveChanges {
  /** A request that this user or team paid has been answered. Nearly free, and never throws. */
  answered(payerId: string): void
  /** A replay of this user has progressed. Likewise. */
  replayed(userId: string): void
  /** Begins a watch; undefined when this user has `mostWatches` already. */
  watch(who: Watcher): Watch | undefined
  /** Ends all watches, for a shutdown. No new one begins. */
  close(): void
}

/** Most concurrent watches of one user. */
export const mostWatches = 16
/** Milliseconds between two events of a watch, in which the mirrors catch up, too. */
const gatherMs = 250
/** Milliseconds between two checks of whether watches are still valid: sessions also expire. */
const lookMs = 5_000
/** Milliseconds between two notices to the other instances. */
const signalMs = 500
/** Represents every user, where there are too many to name. */
const everybody = '*'

/** Topics reported per owner, also to other instances. */
type Work = 'requests' | 'replays'

interface Seat extends Watch {
  readonly who: Watcher
  /** Whether this payer is the watcher, or one of the watcher's teams. */
  isOf(payerId: string): boolean
  /** Adds the watcher's topics for a change of this table. */
  changed(table: MirroredTable, id: string | undefined): void
  add(topic: Topic): void
  /** Ends the watch when it is no longer valid. */
  look(): void
}

const watched = [
  ...(['users', 'sessions', 'api_keys', 'management_keys', 'groups', 'channels', 'prices', 'settings', 'accounts'] as const),
  ...(['teams', 'team_members', 'alerts'] as const),
] as const

/** Reports changes of this store, and requests of all instances. */
export function createLiveChanges({ store, clock }: { store: Pick<Store, 'changes' | 'signals'>; clock: Clock }): LiveChanges {
  const seats = new Set<Seat>()
  const unsent = { requests: new Set<string>(), replays: new Set<string>() }
  let sending: Timer | undefined
  let looking: Timer | undefined
  let closed = false

  for (const table of watched) {
    store.changes.subscribe(table, async (id) => {
      for (const seat of seats) seat.changed(table, id)
    })
  }
  store.signals.onSignal('requests', (text) => notify('requests', text.split(',')))
  store.signals.onSignal('replays', (text) => notify('replays', text.split(',')))

  function notify(topic: Work, payerIds: readonly string[]): void {
    const all = payerIds.includes(everybody)
    for (const seat of seats) {
      const isTheirs = all || (topic === 'requests' && seat.who.isAdmin()) || payerIds.some(seat.isOf)
      if (isTheirs) seat.add(topic)
    }
  }

  function send(): void {
    sending = undefined
    sendAbout('requests')
    sendAbout('replays')
  }

  function sendAbout(topic: Work): void {
    const text = [...unsent[topic]].filter((id) => /^[\w-]+$/.test(id)).join(',')
    unsent[topic].clear()
    if (text !== '') store.signals.send(topic, text.length > longestSignal ? everybody : text)
  }

  function note(topic: Work, payerId: string): void {
    if (closed) return
    if (seats.size > 0) notify(topic, [payerId])
    unsent[topic].add(payerId)
    sending ??= clock.after(signalMs, send)
  }

  function look(): void {
    looking = undefined
    for (const seat of seats) seat.look()
    if (seats.size > 0) looking = clock.after(lookMs, look)
  }

  return {
    answered: (payerId) => note('requests', payerId),
    replayed: (userId) => note('replays', userId),
    watch(who) {
      const own = [...seats].filter((seat) => seat.who.userId === who.userId)
      if (closed || own.length >= mostWatches) return undefined
      const seat = createSeat(who, clock, () => seats.delete(seat))
      seats.add(seat)
      looking ??= clock.after(lookMs, look)
      return seat
    },
    close() {
      closed = true
      sending?.cancel()
      looking?.cancel()
      for (const seat of seats) seat.close()
    },
  }
}

function createSeat(who: Watcher, clock: Clock, left: () => void): Seat {
  const pending = new Set<Topic>()
  const own = { keys: new Set(who.keys()), teams: new Set(who.teams()) }
  let gathering: Timer | undefined
  let ripe = false
  let over = false
  let waiting: ((topics: Topic[] | undefined) => void) | undefined

  function close(): void {
    over = true
    gathering?.cancel()
    left()
    deliver()
  }

  function deliver(): void {
    if (waiting === undefined || (!over && !ripe)) return
    const answer = over ? undefined : [...pending]
    const notify = waiting
    waiting = undefined
    pending.clear()
    ripe = false
    notify(answer)
  }

  function gather(): void {
    if (over || gathering !== undefined) return
    gathering = clock.after(gatherMs, () => {
      gathering = undefined
      if (!who.isLive()) return close()
      ripe = pending.size > 0
      deliver()
    })
  }

  function add(topic: Topic): void {
    pending.add(topic)
    gather()
  }

  /** A change of one of the keys or teams, or of many. */
  function ofOne(topic: 'keys' | 'teams', id: string | undefined): void {
    const known = id === undefined || own[topic].has(id)
    // The mirrors may be about to change: the owner is known after the pause.
    clock.after(gatherMs - 1, () => {
      if (over) return
      own[topic] = new Set(who[topic]())
      if (known || who.isAdmin() || own[topic].has(id)) add(topic)
    })
  }

  return {
    who,
    add,
    close,
    isOf: (payerId) => payerId === who.userId || own.teams.has(payerId),
    look: () => void (!over && !who.isLive() && close()),
    changed(table, id) {
      const self = id === undefined || id === who.userId
      if (table === 'api_keys') ofOne('keys', id)
      else if (table === 'teams') ofOne('teams', id)
      else if (table === 'team_members') ofOne('teams', id && teamOfMember(id))
      else if (table === 'groups') add('groups')
      else if (table === 'prices') add('prices')
      else if (table === 'channels') add(who.isAdmin() ? 'channels' : 'models')
      else if ((table === 'settings' || table === 'alerts') && who.isAdmin()) add(table)
      else if (table === 'accounts' && id !== undefined && isTeamId(id)) ofOne('teams', id)
      else if (table === 'users' || table === 'accounts') {
        if (self) add('account')
        if (who.isAdmin()) add('users')
      }
      // After any change of users, the watch may be over.
      gather()
    },
    next() {
      return new Promise((resolve) => {
        waiting = resolve
        deliver()
      })
    },
  }
}
