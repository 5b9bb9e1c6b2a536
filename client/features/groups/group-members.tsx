import { For, Show } from 'solid-js'
import type { ChannelRow } from '#shared/console/channel'
import type { AccountRow } from '#shared/console/user'
import { t } from './messages.ts'

/** Names that are listed; the rest is counted. */
const mostNames = 40

/** Who may use a group and which channels serve it, each a link to its page. */
export function GroupMembers(props: { name: string; users: readonly AccountRow[]; channels: readonly ChannelRow[] }) {
  const users = () => props.users.filter((user) => user.groups.includes(props.name))
  const channels = () => props.channels.filter((channel) => channel.groups.includes(props.name))
  return (
    <div class="two mt-4">
      <Names title={t('users')} list={users().map(({ id, name }) => ({ name, href: `/admin/users/${id}` }))} />
      <Names title={t('channels')} list={channels().map(({ id, name }) => ({ name, href: `/admin/channels/${id}` }))} />
    </div>
  )
}

function Names(props: { title: string; list: { name: string; href: string }[] }) {
  return (
    <section aria-label={props.title}>
      <h3 class="text-[13px] font-medium">
        {props.title} <span class="num text-ink-3">{props.list.length}</span>
      </h3>
      <Show when={props.list.length > 0} fallback={<p class="hint mt-1">{t('none')}</p>}>
        <p class="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-[13px]">
          <For each={props.list.slice(0, mostNames)}>{(one) => <a href={one.href}>{one.name}</a>}</For>
          <Show when={props.list.length > mostNames}>
            <span class="text-ink-3">{t('moreNames', { count: props.list.length - mostNames })}</span>
          </Show>
        </p>
      </Show>
    </section>
  )
}
