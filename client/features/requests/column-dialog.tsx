import { For } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { adminColumns, type ColumnName, columnNames, usualColumns } from './column-choice.ts'
import { t } from './messages.ts'

/** Chooses the columns of the list; each choice applies at once. */
export function ColumnDialog(props: {
  admin: boolean
  value: readonly ColumnName[]
  onChange(chosen: readonly ColumnName[]): void
  onClose(): void
}) {
  const offered = () => columnNames.filter((name) => props.admin || !adminColumns.includes(name))
  const toggle = (name: ColumnName) =>
    props.onChange(props.value.includes(name) ? props.value.filter((one) => one !== name) : [...props.value, name])
  return (
    <Dialog
      title={t('columns')}
      intro={t('columnsIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onChange(usualColumns)}>{t('columnsUsual')}</Button>
          <Button look="primary" onClick={() => props.onClose()}>
            {tc('close')}
          </Button>
        </>
      }
    >
      <div class="-mx-2 grid grid-cols-2 gap-x-4 gap-y-1">
        <For each={offered()}>
          {(name) => (
            <label class="check">
              <input type="checkbox" checked={props.value.includes(name)} onChange={() => toggle(name)} />
              {t(name)}
            </label>
          )}
        </For>
      </div>
    </Dialog>
  )
}
