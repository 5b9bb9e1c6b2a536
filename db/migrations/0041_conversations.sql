-- Conversations that clients of Responses keep here. New tables only.
CREATE TABLE "item_conversations" (
	"tenant" text NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"places" integer NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "item_conversations_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
CREATE TABLE "kept_items" (
	"tenant" text NOT NULL,
	"conversation" text NOT NULL,
	"place" integer NOT NULL,
	"piece" integer NOT NULL,
	"item" text NOT NULL,
	"pieces" integer NOT NULL,
	"bytes" integer NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "kept_items_tenant_conversation_place_piece_pk" PRIMARY KEY("tenant","conversation","place","piece")
);
--> statement-breakpoint
ALTER TABLE "item_conversations" ADD CONSTRAINT "item_conversations_tenant_users_id_fk" FOREIGN KEY ("tenant") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kept_items" ADD CONSTRAINT "kept_items_tenant_conversation_item_conversations_tenant_id_fk" FOREIGN KEY ("tenant","conversation") REFERENCES "public"."item_conversations"("tenant","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "item_conversations_expires" ON "item_conversations" USING btree ("expires_at");