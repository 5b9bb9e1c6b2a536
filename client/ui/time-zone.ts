/** The user's time zone: the one chosen in the account, else that of this browser. Days in the console begin in it. */
import { createSignal } from 'solid-js'
import { readLocalStorage, writeLocalStorage } from './local-storage.ts'

/** The time zone of this browser, such as Europe/Lisbon. */
export const browserZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

const stored = readLocalStorage('time-zone') ?? ''
const [chosenZone, setChosen] = createSignal(isZone(stored) ? stored : '')

/** The chosen zone; empty for the browser's own. */
export { chosenZone }

/** The zone in which times are shown and days begin. Tracks. */
export const timeZone = (): string => chosenZone() || browserZone

/** Chooses a zone and remembers it for this browser; empty for the browser's own. */
export function chooseTimeZone(zone: string): void {
  setChosen(zone)
  writeLocalStorage('time-zone', zone === '' ? null : zone)
}

/** The zones that can be chosen. */
export const timeZones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

function isZone(zone: string): boolean {
  try {
    return zone !== '' && new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    // A zone unknown to this browser, stored by another version of it.
    return false
  }
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Local date and time at an instant: year, month (0 to 11), day, hour, minute, second. */
function wallAt(at: number, zone: string): [year: number, month: number, day: number, hour: number, minute: number, second: number] {
  let clock = clocks.get(zone)
  if (clock === undefined) {
    const number = 'numeric' as const
    const parts = { year: number, month: number, day: number, hour: number, minute: number, second: number }
    clock = new Intl.DateTimeFormat('en-US', { ...parts, timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' })
    clocks.set(zone, clock)
  }
  const found = new Map(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const of = (name: Intl.DateTimeFormatPartTypes) => found.get(name) ?? 0
  return [of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')]
}

/** Local year, month (0 to 11) and day at an instant. */
export function dayOf(at: Date, zone = timeZone()): [year: number, month: number, day: number] {
  const [year, month, day] = wallAt(at.getTime(), zone)
  return [year, month, day]
}

/** The local day at an instant, as YYYY-MM-DD; empty for an invalid time, which must not break the page. */
export const isoDay = (at: Date, zone = timeZone()): string =>
  Number.isNaN(at.getTime()) ? '' : new Date(Date.UTC(...dayOf(at, zone))).toISOString().slice(0, 10)

/** The start of a local day. Months and days out of range carry over, as in `Date`. */
export function midnightOf(year: number, month: number, day: number, zone = timeZone()): Date {
  const wanted = Date.UTC(year, month, day)
  const found = instantsNear(wanted, zone)
  // Where clocks change around this midnight, one of the two offsets leads into another day.
  const fitting = found.find((at) => Date.UTC(...dayOf(new Date(at), zone)) === wanted)
  return new Date(fitting ?? found[1] ?? wanted)
}

/** The instants at which clocks may show what UTC shows at `wanted`, the earlier one first. */
function instantsNear(wanted: number, zone: string): number[] {
  const aheadAt = (at: number) => Date.UTC(...wallAt(at, zone)) - at
  return [-86_400_000, 86_400_000].map((beside) => wanted - aheadAt(wanted + beside)).sort((a, b) => a - b)
}

/** Local date and time as the value of a datetime field, YYYY-MM-DDTHH:MM; empty for an invalid time. */
export const clockField = (at: Date, zone = timeZone()): string =>
  Number.isNaN(at.getTime()) ? '' : new Date(Date.UTC(...wallAt(at.getTime(), zone))).toISOString().slice(0, 16)

/** The instant of such a value, the earlier one if it occurs twice; undefined for anything else. */
export function instantOfField(text: string, zone = timeZone()): Date | undefined {
  const wanted = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN
  if (Number.isNaN(wanted)) return undefined
  const found = instantsNear(wanted, zone)
  const fitting = found.find((at) => Date.UTC(...wallAt(at, zone)) === wanted)
  return new Date(fitting ?? found[1] ?? wanted)
}
