import { For, Show } from 'solid-js'
import { Drawer, DrawerPart } from '#client/ui/console/drawer.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { formatExactly } from '#client/ui/console/time.ts'
import type { AuditRow } from '#shared/console/audit'
import { pathOfId, targetNameOf } from './audit-names.ts'
import { actorOf, titleOf } from './audit-words.ts'
import { t } from './messages.ts'
import { NamedText } from './named-text.tsx'

/** The page of the target; undefined if it is gone or has none. */
const pathOf = (row: AuditRow): string | undefined => {
  const id = encodeURIComponent(row.target)
  const paths: Record<string, string> = {
    key: `/keys/${id}`,
    user: `/admin/users/${id}`,
    group: `/admin/groups?open=${id}`,
    channel: `/admin/channels/${id}`,
    price: `/admin/prices?open=${id}`,
    settings: '/admin/settings',
    alertHook: `/admin/alerts?open=${id}`,
    managementKey: '/account',
    team: `/admin/teams?open=${id}`,
    member: `/admin/teams?open=${encodeURIComponent(row.target.split('.')[0] ?? '')}`,
    replay: `/replay/${id}`,
    body: `/requests/${id}`,
    plan: '/admin/selling',
    code: `/admin/selling?tab=codes&q=${id}`,
    invitation: '/admin/users?tab=invitations',
  }
  if (row.after === null && row.before !== null) return undefined
  // Kept requests are deleted per user or key, which is then the target.
  return pathOfId(row.target, row.names) ?? paths[row.action.split('.')[0] ?? '']
}

/** One change: the target, and the values before and after. */
export function AuditDetail(props: {
  row: AuditRow
  onClose(): void
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
}) {
  const names = () => [...new Set([...Object.keys(props.row.before ?? {}), ...Object.keys(props.row.after ?? {})])]
  const text = (value: unknown) => (value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value))
  return (
    <Drawer
      label={titleOf(props.row)}
      title={titleOf(props.row)}
      onClose={props.onClose}
      onPrevious={props.onPrevious}
      onNext={props.onNext}
    >
      <DrawerPart>
        <Facts
          facts={[
            [
              t('thing'),
              <Show when={pathOf(props.row)} fallback={targetNameOf(props.row)}>
                {(path) => (
                  <a href={path()} title={props.row.target}>
                    {targetNameOf(props.row)}
                  </a>
                )}
              </Show>,
            ],
            [t('action'), <span class="mono text-[12px]">{props.row.action}</span>],
            [t('who'), actorOf(props.row)],
            [t('when'), formatExactly(props.row.at)],
            [t('request'), props.row.requestId && <span class="mono text-[12px]">{props.row.requestId}</span>],
          ]}
        />
      </DrawerPart>
      <DrawerPart title={t('change')} note={t('fields', { count: names().length })}>
        <dl class="grid gap-3 text-[13px]">
          <For each={names()}>
            {(name) => (
              <div>
                <dt class="mono text-[12px] text-ink-3">{name}</dt>
                <Show when={props.row.before}>
                  {(before) => (
                    <dd class="wrap-anywhere text-ink-3 line-through">
                      <NamedText text={text(before()[name])} names={props.row.names} />
                    </dd>
                  )}
                </Show>
                <Show when={props.row.after}>
                  {(after) => (
                    <dd class="wrap-anywhere">
                      <NamedText text={text(after()[name])} names={props.row.names} />
                    </dd>
                  )}
                </Show>
              </div>
            )}
          </For>
        </dl>
      </DrawerPart>
    </Drawer>
  )
}
