/** Filters of the figures: by model; for administrators by user or group; by a key, team or channel named in the URL. */
import { For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad, queryOf } from '#client/console/load.ts'
import { FilterChip } from '#client/ui/console/filters.tsx'
import type { UrlState } from '#client/ui/console/url-state.ts'
import { Icon } from '#client/ui/icon.tsx'
import type { Page } from '#shared/console/model'
import type { UsageReportRow } from '#shared/console/usage'
import { t } from './messages.ts'

/** The URL parameters of the filters. */
export const filterNames = ['model', 'user', 'group', 'key', 'team', 'channel'] as const

/** Their values in the URL. */
export const filtersOf = (url: UrlState): Record<string, string> => Object.fromEntries(filterNames.map((name) => [name, url.get(name)]))

/** The chips. A menu lists at most two hundred names; others are reachable by URL only. `from`: start of the period for used models. */
export function OverviewFilters(props: { url: UrlState; admin: boolean; from: string | undefined }) {
  const { url } = props
  const names = (path: string) =>
    createLoad(
      () => (props.admin ? path : undefined),
      (asked, signal) => callApi<Page<{ name: string }>>('GET', asked, undefined, signal),
    )
  const users = names('/api/users?limit=200')
  const groups = names('/api/groups?all=true&limit=200')
  const models = createLoad(
    () => props.from && `/api/usage?${queryOf({ ...filtersOf(url), model: '', by: 'model', from: props.from, limit: '200' })}`,
    (path, signal) => callApi<Page<UsageReportRow>>('GET', path, undefined, signal),
  )
  const options = (known: readonly (string | undefined)[] = []) =>
    known.flatMap((name) => (name === undefined ? [] : [{ value: name, label: name }]))
  return (
    <>
      <FilterChip
        label={t('model')}
        value={url.get('model')}
        options={options(models.value()?.data.map(({ model }) => model))}
        onChange={(model) => url.set({ model })}
      />
      <Show when={props.admin}>
        <FilterChip
          label={t('ofUser')}
          value={url.get('user')}
          options={options(users.value()?.data.map(({ name }) => name))}
          onChange={(user) => url.set({ user })}
        />
        <FilterChip
          label={t('ofGroup')}
          value={url.get('group')}
          options={options(groups.value()?.data.map(({ name }) => name))}
          onChange={(group) => url.set({ group })}
        />
      </Show>
      <For each={(['key', 'team', 'channel'] as const).filter((name) => url.get(name) !== '')}>
        {(name) => (
          <button type="button" class="chip on" onClick={() => url.set({ [name]: '' })} aria-label={t('clear', { name: t(`of_${name}`) })}>
            {t(`of_${name}`)} <b>{url.get(name)}</b>
            <Icon name="x" small />
          </button>
        )}
      </For>
    </>
  )
}
