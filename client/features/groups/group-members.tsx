import { For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad } from '#client/console/load.ts'
import { formatCount } from '#client/ui/format.ts'
import type { ManagedGroupRow } from '#shared/console/group'
import type { Page } from '#shared/console/model'
import { t } from './messages.ts'

/** At most so many names are listed; the rest is a link to the full list. */
const mostNames = 40

/** The users, keys and channels of a group, each linked to its page. */
export function GroupMembers(props: { row: ManagedGroupRow }) {
  const group = () => encodeURIComponent(props.row.name)
  return (
    <div class="two mt-4">
      <Names
        title={t('users')}
        count={props.row.contents.users}
        list={`/api/users?group=${group()}`}
        page="/admin/users"
        all={`/admin/users?group=${group()}`}
      />
      <Names
        title={t('keys')}
        count={props.row.contents.keys}
        list={`/api/keys?all=true&group=${group()}`}
        page="/keys"
        all={`/keys?all=true&group=${group()}`}
      />
      <Names
        title={t('channels')}
        count={props.row.contents.channels}
        list={`/api/channels?group=${group()}`}
        page="/admin/channels"
        all={`/admin/channels?group=${group()}`}
      />
    </div>
  )
}

/** `list`: the list endpoint; `page`: the prefix of each row's page; `all`: the link to the full list. */
function Names(props: { title: string; count: number; list: string; page: string; all: string }) {
  const rows = createLoad(
    () => (props.count > 0 ? `${props.list}&limit=${mostNames}` : undefined),
    (path, signal) => callApi<Page<{ id: string; name: string }>>('GET', path, undefined, signal),
  )
  return (
    <section aria-label={props.title}>
      <h3 class="text-[13px] font-medium">
        {props.title} <span class="num text-ink-3">{formatCount(props.count)}</span>
      </h3>
      <Show when={props.count > 0} fallback={<p class="hint mt-1">{t('none')}</p>}>
        <p class="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-[13px]">
          <For each={rows.value()?.data}>{(one) => <a href={`${props.page}/${encodeURIComponent(one.id)}`}>{one.name}</a>}</For>
          <Show when={props.count > mostNames}>
            <a class="text-ink-3" href={props.all}>
              {t('moreNames', { count: props.count - mostNames })}
            </a>
          </Show>
        </p>
      </Show>
    </section>
  )
}
