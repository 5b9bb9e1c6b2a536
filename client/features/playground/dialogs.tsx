/** Every dialog of the playground, loaded when the first one opens. */
import { Match, Switch } from 'solid-js'
import type { PageContext } from './bench.ts'
import { CodeDialog } from './code/dialog.tsx'
import { ShortcutsDialog } from './keyboard/dialog.tsx'
import { DeleteAllDialog } from './library/delete-all.tsx'
import { ImportDialog } from './library/import-dialog.tsx'
import { RegenerateDialog } from './models/other-model.tsx'
import { TemplatesDialog } from './templates/dialog.tsx'
import type { DialogName } from './view.ts'

export function Dialogs(props: { bench: PageContext; name: DialogName; draft: string }) {
  const close = () => props.bench.view.setDialog(null)
  return (
    <Switch>
      <Match when={props.name === 'code'}>
        <CodeDialog bench={props.bench} draft={props.draft} onClose={close} />
      </Match>
      <Match when={props.name === 'shortcuts'}>
        <ShortcutsDialog view={props.bench.view} onClose={close} />
      </Match>
      <Match when={props.name === 'templates'}>
        <TemplatesDialog bench={props.bench} draft={props.draft} onClose={close} />
      </Match>
      <Match when={props.name === 'other-model'}>
        <RegenerateDialog bench={props.bench} onClose={close} />
      </Match>
      <Match when={props.name === 'delete-all'}>
        <DeleteAllDialog bench={props.bench} onClose={close} />
      </Match>
      <Match when={props.name === 'import'}>
        <ImportDialog bench={props.bench} onClose={close} />
      </Match>
    </Switch>
  )
}
