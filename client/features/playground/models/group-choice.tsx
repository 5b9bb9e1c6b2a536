import { t } from '#client/features/playground/messages/messages.ts'
import { Icon } from '#client/ui/icon.tsx'
import { Menu } from '#client/ui/menu.tsx'
import type { GroupRow } from '#shared/console/group'

/** The group of the next request: a quiet button with a menu. */
export function GroupChoice(props: { groups: GroupRow[]; group: string; onChoose(group: string): void }) {
  return (
    <Menu
      label={t('groupIs', { group: props.group })}
      placement="top-end"
      trigger={
        <>
          <span class="text-ink-3 max-[759px]:hidden">{t('group')}</span> <b>{props.group}</b>
          <Icon name="down" small />
        </>
      }
      items={() => [
        {
          kind: 'choice',
          label: t('group'),
          value: props.group,
          options: props.groups.map((row) => ({
            value: row.name,
            label: row.name,
            hint: [row.description, t('ratio', { ratio: row.ratio })].filter((part) => part !== '').join(' · '),
          })),
          onChange: props.onChoose,
        },
      ]}
    />
  )
}
