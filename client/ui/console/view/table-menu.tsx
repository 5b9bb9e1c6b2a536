import { Menu } from '#client/ui/menu.tsx'
import { tc } from '../messages.ts'
import { chooseCompact, compact, type TableView, type ViewColumn } from './table-view.ts'

/** The button over the head of a table, for columns and row height. */
export function TableMenu<Column extends ViewColumn>(props: { view: TableView<Column> }) {
  return (
    <div class="table-menu">
      <Menu
        label={tc('tableView')}
        icon="columns"
        small
        items={() => [
          ...props.view.offered().map((column) => ({
            kind: 'check' as const,
            label: column.label,
            checked: () => props.view.shows(column.id),
            onChange: (shown: boolean) => props.view.show(column.id, shown),
          })),
          { kind: 'item', label: tc('usualColumns'), onSelect: () => props.view.reset() },
          { kind: 'line' },
          {
            kind: 'choice',
            label: tc('rowHeight'),
            value: compact() ? 'compact' : '',
            options: [
              { value: '', label: tc('rowsComfortable') },
              { value: 'compact', label: tc('rowsCompact') },
            ],
            onChange: (value) => chooseCompact(value === 'compact'),
          },
        ]}
      />
    </div>
  )
}
