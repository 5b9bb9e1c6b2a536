CREATE TABLE "upstream_objects" (
	"tenant" text NOT NULL,
	"kind" text NOT NULL,
	"id" text NOT NULL,
	"api" text NOT NULL,
	"channel" text NOT NULL,
	"key" text,
	"copy_of" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "upstream_objects_tenant_kind_id_pk" PRIMARY KEY("tenant","kind","id")
);
--> statement-breakpoint
CREATE INDEX "upstream_objects_made" ON "upstream_objects" USING btree ("tenant","kind","created_at");--> statement-breakpoint
CREATE INDEX "upstream_objects_copies" ON "upstream_objects" USING btree ("tenant","copy_of");