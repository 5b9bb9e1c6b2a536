-- Conversations that users keep on the server, and copies that whoever has the link may read. New tables only.
CREATE TABLE "kept_conversations" (
	"user_id" text NOT NULL,
	"id" text NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	"bytes" integer NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "kept_conversations_user_id_id_pk" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
CREATE TABLE "shared_conversations" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"title" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"bytes" integer NOT NULL,
	"sealed" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "kept_conversations" ADD CONSTRAINT "kept_conversations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared_conversations" ADD CONSTRAINT "shared_conversations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "shared_conversations_user" ON "shared_conversations" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "shared_conversations_expires" ON "shared_conversations" USING btree ("expires_at");