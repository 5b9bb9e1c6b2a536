/** Server search for the palette: requests, keys, users, teams, models, channels, groups and plans, by id, name or the end of a key. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import { callApi } from '#client/api/http.ts'
import type { IconName } from '#client/ui/icon.tsx'
import type { Page } from '#shared/console/model'
import type { Found } from '#shared/console/search'
import { t } from './messages.ts'
import type { PaletteEntry } from './palette-entries.ts'

/** Debounce of typing, in milliseconds. */
const pauseMs = 120
const icons: Record<Exclude<Found['kind'], 'page'>, IconName> = {
  request: 'list',
  key: 'key',
  user: 'users',
  team: 'case',
  plan: 'tag',
  model: 'book',
  channel: 'server',
  group: 'layers',
}

/** A pasted full key is reduced to its end: URLs are written into the logs of proxies. */
export const withoutSecret = (typed: string): string => (/^[sp]k-\S{8,}$/.test(typed) ? typed.slice(-4) : typed)

/** The results for the text, and whether a request is pending. Pages are left out: the palette knows them in every language. */
export function createSearch(text: Accessor<string>): Accessor<PaletteEntry[]> & { searching: Accessor<boolean> } {
  const [found, setFound] = createSignal<PaletteEntry[]>([])
  const [searching, setSearching] = createSignal(false)
  let aborter = new AbortController()
  let pause: ReturnType<typeof setTimeout> | undefined

  async function ask(typed: string): Promise<void> {
    const { signal } = aborter
    const q = withoutSecret(typed)
    try {
      const { data } = await callApi<Page<Found>>('GET', `/api/search?q=${encodeURIComponent(q)}`, undefined, signal)
      if (!signal.aborted) setFound(data.flatMap(entryOf))
    } catch {
      // Without an answer the palette still has its pages.
      if (!signal.aborted) setFound([])
    } finally {
      if (!signal.aborted) setSearching(false)
    }
  }

  createEffect(
    on(text, (typed) => {
      clearTimeout(pause)
      aborter.abort(noLongerNeeded)
      aborter = new AbortController()
      const q = typed.trim()
      const worth = q.length >= 2 && q.length <= 256
      setSearching(worth)
      if (worth) pause = setTimeout(() => void ask(q), pauseMs)
      else setFound([])
    }),
  )
  onCleanup(() => {
    clearTimeout(pause)
    aborter.abort(noLongerNeeded)
  })
  return Object.assign(found, { searching })
}

function entryOf({ kind, id, name, note, path }: Found): PaletteEntry[] {
  if (kind === 'page') return []
  return [{ id: `${kind}:${id}`, section: t(`kinds_${kind}`), icon: icons[kind], label: name, href: path, ...(note !== null && { note }) }]
}
