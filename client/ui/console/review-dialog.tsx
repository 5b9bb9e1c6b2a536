import { For } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import { tc } from './messages.ts'

/** A changed field, with its values as text. */
export interface ReviewLine {
  label: string
  before: string
  after: string
}

/** The changes to be saved: each field with its old value struck through, and its new one. */
export function ReviewDialog(props: { lines: readonly ReviewLine[]; onClose(): void; onSave(): void }) {
  return (
    <Dialog
      title={tc('reviewTitle')}
      wide
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('reviewBack')}</Button>
          <Button
            look="primary"
            onClick={() => {
              props.onClose()
              props.onSave()
            }}
          >
            {tc('save')}
          </Button>
        </>
      }
    >
      <dl class="review">
        <For each={props.lines}>
          {(line) => (
            <div>
              <dt>{line.label}</dt>
              <dd>
                <del>{line.before}</del> <ins>{line.after}</ins>
              </dd>
            </div>
          )}
        </For>
      </dl>
    </Dialog>
  )
}
