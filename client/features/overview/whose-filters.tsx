/** Whose figures an administrator sees: of a user, of a group. In the address. */
import { callApi } from '#client/api/http.ts'
import { createLoad } from '#client/console/load.ts'
import { FilterChip } from '#client/ui/console/filters.tsx'
import type { UrlState } from '#client/ui/console/url-state.ts'
import type { Page } from '#shared/console/model'
import { t } from './messages.ts'

/** The two chips. A menu has two hundred names; a user beyond them is named by the address. */
export function WhoseFilters(props: { url: UrlState }) {
  const names = (path: string) =>
    createLoad(
      () => path,
      (asked, signal) => callApi<Page<{ name: string }>>('GET', asked, undefined, signal),
    )
  const users = names('/api/users?limit=200')
  const groups = names('/api/groups?all=true&limit=200')
  const options = (rows: readonly { name: string }[] = []) => rows.map(({ name }) => ({ value: name, label: name }))
  return (
    <>
      <FilterChip
        label={t('ofUser')}
        value={props.url.get('user')}
        options={options(users.value()?.data)}
        onChange={(user) => props.url.set({ user })}
      />
      <FilterChip
        label={t('ofGroup')}
        value={props.url.get('group')}
        options={options(groups.value()?.data)}
        onChange={(group) => props.url.set({ group })}
      />
    </>
  )
}
